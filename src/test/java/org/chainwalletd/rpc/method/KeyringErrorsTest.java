package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.keyring.evm.EvmKeyRefusal;
import org.chainwalletd.keyring.store.KeyringException;
import org.junit.jupiter.api.Test;

class KeyringErrorsTest {
    private static final EvmAddress ADDRESS = EvmAddress.parse("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");

    private static final Path WALLETS = Path.of("/srv/walletd/wallets");

    private static final Map<Refusal, Integer> CODES = Map.of(
            EvmKeyRefusal.noKey(),
            -32013,
            EvmKeyRefusal.present(ADDRESS, "force"),
            -32011,
            EvmKeyRefusal.notKept(ADDRESS),
            -32602,
            EvmKeyRefusal.needed(ADDRESS, List.of(new EvmKeyGuard.Objection.OpenSwap("swap 7 is open")), ""),
            -32602);

    @Test
    void each_refusal_of_the_account_chain_key_has_its_code() {
        assertThat(CODES)
                .allSatisfy((refusal, code) ->
                        assertThat(refusal.code().code()).as(refusal.message()).isEqualTo(code));
    }

    @Test
    void files_are_named_without_the_place_where_they_lie() {
        for (KeyringException.Reason reason : KeyringException.Reason.values()) {
            KeyringException refusal = new KeyringException(
                    reason,
                    "the sealed file " + WALLETS.resolve("imported/ab.key.enc") + " in " + WALLETS + " is damaged");
            assertThat(new KeyringErrors(WALLETS)
                            .translate(refusal)
                            .orElseThrow()
                            .getMessage())
                    .contains("imported/ab.key.enc")
                    .doesNotContain("/srv");
        }
    }
}
