package org.chainwalletd.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/** The options about swaps (swap.md, section 2), read and checked together: half a configuration never swaps, and says what is missing. */
final class SwapSection {
    /** The fewest confirmations that nothing is said about. */
    private static final long USUAL_DEPTH = 30;

    private static final EvmAddress NOWHERE = EvmAddress.of(new byte[EvmAddress.LENGTH]);

    private final OptionValues values;
    private final List<String> problems;
    private final List<String> warnings;

    SwapSection(OptionValues values, List<String> problems, List<String> warnings) {
        this.values = values;
        this.problems = problems;
        this.warnings = warnings;
    }

    /**
     * @param account whether an account chain is configured
     * @param genesis whether the operator has named the chain
     */
    Optional<Settings.Swap> read(boolean account, boolean genesis) {
        Optional<URI> pool = values.value(Option.SWAP_POOL, Parsing::url);
        Optional<Path> ca = values.value(Option.SWAP_POOL_CA, Path::of);
        if (ca.isPresent() && pool.isEmpty()) {
            warnings.add("--swap-pool-ca does nothing without --swap-pool");
        }
        if (ca.isPresent() && pool.filter(url -> url.getScheme().equals("http")).isPresent()) {
            problems.add("--swap-pool-ca needs a pool with https: over http no certificate is ever shown");
        }
        Optional<Settings.Swapping> swapping = swapping(pool.isPresent(), account, genesis);
        return pool.map(url -> new Settings.Swap(url, ca, swapping));
    }

    private Optional<Settings.Swapping> swapping(boolean pool, boolean account, boolean genesis) {
        Optional<EvmAddress> contract = values.value(Option.SWAP_CONTRACT, EvmAddress::parse);
        Optional<Hash256> code = values.value(Option.SWAP_CONTRACT_CODE_HASH, Parsing::codeHash);
        Optional<Long> from =
                values.value(Option.SWAP_CONTRACT_FROM_BLOCK, text -> Parsing.number(text, 0, Long.MAX_VALUE));
        Optional<Long> depth = values.value(
                Option.SWAP_CHAIN_CONFIRMATIONS,
                text -> Parsing.number(
                        text, Option.SWAP_CHAIN_CONFIRMATIONS.least(), Option.SWAP_CHAIN_CONFIRMATIONS.most()));
        Settings.Swapping swapping = new Settings.Swapping(
                contract.orElse(NOWHERE),
                code.orElse(Hash256.ZERO),
                optional(from),
                optional(depth),
                values.number(Option.SWAP_LOCK_BLOCKS),
                values.number(Option.SWAP_LOCK_SECS),
                values.number(Option.SWAP_EVM_MARGIN),
                values.number(Option.SWAP_CHAIN_MARGIN),
                values.number(Option.SWAP_MAX_FEE_BPS),
                values.number(Option.SWAP_MAX_IMPACT_BPS),
                values.truth(Option.SWAP_ALLOW_RELAY));
        if (!values.isGiven(Option.SWAP_CONTRACT)) {
            idle("without --swap-contract");
            return Optional.empty();
        }
        if (!pool) {
            warnings.add("--swap-contract does nothing without --swap-pool");
            return Optional.empty();
        }
        require(
                code.isPresent() || values.isGiven(Option.SWAP_CONTRACT_CODE_HASH),
                "--swap-contract-code-hash: the code that money is locked in has to be the one that somebody has read");
        require(account, "--evm-rpc and --evm-chain-id: a swap has a leg on the account chain");
        require(genesis, "--expect-genesis: money is locked for hours only on a chain that is named");
        if (contract.filter(EvmAddress::isZero).isPresent()) {
            problems.add("--swap-contract is the zero address: name the contract that swaps lock money in");
        }
        warn(swapping, depth);
        return contract.map(address -> swapping);
    }

    private void require(boolean there, String what) {
        if (!there) {
            problems.add("--swap-contract needs " + what);
        }
    }

    private void idle(String why) {
        List<String> given = new ArrayList<>();
        Stream.of(
                        Option.SWAP_CONTRACT_CODE_HASH,
                        Option.SWAP_CONTRACT_FROM_BLOCK,
                        Option.SWAP_CHAIN_CONFIRMATIONS,
                        Option.SWAP_LOCK_BLOCKS,
                        Option.SWAP_LOCK_SECS,
                        Option.SWAP_EVM_MARGIN,
                        Option.SWAP_CHAIN_MARGIN,
                        Option.SWAP_MAX_FEE_BPS,
                        Option.SWAP_MAX_IMPACT_BPS,
                        Option.SWAP_ALLOW_RELAY)
                .filter(values::isGiven)
                .forEach(option -> given.add(option.flag()));
        if (!given.isEmpty()) {
            warnings.add(String.join(", ", given) + " do nothing " + why);
        }
    }

    private void warn(Settings.Swapping swapping, Optional<Long> depth) {
        if (depth.filter(blocks -> blocks < USUAL_DEPTH).isPresent()) {
            warnings.add("--swap-chain-confirmations " + depth.get() + " takes a lock on the chain for settled that "
                    + depth.get() + " blocks of somebody else can undo; less than " + USUAL_DEPTH
                    + " is for development");
        }
        if (swapping.allowRelay()) {
            warnings.add("--swap-allow-relay trusts the pool with the whole amount of a sell when there is no gas");
        }
    }

    private static OptionalLong optional(Optional<Long> number) {
        return number.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
