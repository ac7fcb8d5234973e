package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.keyring.evm.EvmKeyRefusal;
import org.chainwalletd.keyring.evm.EvmKeyRefusal.EvmKeyException;
import org.chainwalletd.keyring.store.KeyringException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class KeyringErrorsTest {
    private static final EvmAddress ADDRESS = EvmAddress.parse("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");

    private static final Path WALLETS = Path.of("/srv/walletd/wallets");

    private static final Map<EvmKeyRefusal, Integer> CODES = Map.of(
            new EvmKeyRefusal.NoKey(),
            -32013,
            new EvmKeyRefusal.Present(ADDRESS, "force"),
            -32011,
            new EvmKeyRefusal.NotKept(ADDRESS),
            -32602,
            new EvmKeyRefusal.Needed(ADDRESS, List.of(new EvmKeyGuard.Objection.OpenSwap("swap 7 is open")), ""),
            -32602,
            new EvmKeyRefusal.Invalid("no"),
            -32602);

    @TestFactory
    Stream<DynamicTest> each_refusal_of_the_account_chain_key_has_its_code() {
        return CODES.entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(row.getKey().getClass().getSimpleName(), () -> {
                    RefusedException error = new KeyringErrors(WALLETS)
                            .translate(new EvmKeyException(row.getKey()))
                            .orElseThrow();
                    assertThat(error.code().code()).isEqualTo(row.getValue());
                    assertThat(error).hasMessageContaining(row.getKey().message());
                }));
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

    @Test
    void no_refusal_of_the_account_chain_key_is_without_a_code() {
        assertThat(CODES.keySet().stream().map(Object::getClass))
                .containsExactlyInAnyOrder(EvmKeyRefusal.class.getPermittedSubclasses());
    }
}
