package org.chainwalletd.rpc.method;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.config.Settings.EvmWords;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.wire.Spelling;

/**
 * Names of both chains in the parameters and results of swaps (swap.md, section 1). The default names and the brand's names are accepted; the
 * brand's are written.
 */
public final class SwapWords {
    private static final String DEFAULT_CHAIN = "chain";
    private static final List<String> MEMBERS = List.of(
            "our_chain_address",
            "our_evm_address",
            "pool_chain_pubkey",
            "pool_evm_address",
            "chain_timeout_height",
            "evm_timeout_sec",
            "network_fee_native",
            "mid_price_native_per_chain",
            "chain_reserve",
            "native_reserve",
            "chain_address",
            "evm_address");

    private final String chain;
    private final EvmWords evm;
    private final Spelling spelling;

    private SwapWords(String chain, EvmWords evm) {
        this.chain = chain;
        this.evm = evm;
        Map<String, String> written = new LinkedHashMap<>();
        for (String member : MEMBERS) {
            String branded = branded(member);
            if (!branded.equals(member)) {
                written.put(member, branded);
            }
        }
        this.spelling = Spelling.of(written);
    }

    public static SwapWords of(ChainProfile chain, EvmWords evm) {
        return new SwapWords(chain.brand(), evm);
    }

    private String branded(String name) {
        StringBuilder branded = new StringBuilder();
        for (String word : name.split("_")) {
            branded.append(branded.isEmpty() ? "" : "_").append(brandedWord(word));
        }
        return branded.toString();
    }

    private String brandedWord(String word) {
        if (word.equals(DEFAULT_CHAIN)) {
            return chain;
        }
        if (word.equals(EvmWords.DEFAULT.brand())) {
            return evm.brand();
        }
        return word.equals(EvmWords.DEFAULT.nativeAsset()) ? evm.nativeAsset() : word;
    }

    /** Spelling of the members of parameters and results. */
    Spelling spelling() {
        return spelling;
    }

    String direction(Direction direction) {
        return branded(standard(direction));
    }

    private static String standard(Direction direction) {
        return direction.isSell() ? "chain_to_native" : "native_to_chain";
    }

    /** @throws RefusedException -32602 for another word */
    Direction direction(String word) {
        return read(word)
                .orElseThrow(() -> RefusedException.invalidParams("`direction` must be "
                        + direction(Direction.CHAIN_TO_NATIVE) + " or " + direction(Direction.NATIVE_TO_CHAIN)));
    }

    private Optional<Direction> read(String word) {
        for (Direction direction : Direction.values()) {
            if (word.equals(standard(direction)) || word.equals(direction(direction))) {
                return Optional.of(direction);
            }
        }
        return Optional.empty();
    }
}
