package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.StateJson;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

/**
 * Hostile bytes for the parsers of the keyring's own formats: each returns the content, or refuses with its one exception. The fuzz target of
 * sealed blobs is in {@code crypto}.
 */
class KeyringFuzzTest {
    private static final Sealer SEALER = new Sealer(KeyringFixture.CHAIN, KeyringFixture.CHEAP, new SecureRandom());
    private static final String SECRET = "5503d8ab9c3e658998252f90328751b1507f37868dc55950aa6c76a8084220a6";
    private static final String ADDRESS = "114e6736edd0ea3a956dce61df04df667d39a54cf7f60aa7798aefcf6fc64ce0";

    private static final String VAULT = "{\"version\":1,\"keys\":[{\"address\":\"" + ADDRESS + "\",\"secret_hex\":\""
            + SECRET + "\",\"label\":\"l\",\"mnemonic\":\"" + "abandon ".repeat(23)
            + "art\"},{\"secret_hex\":\"" + "02".repeat(32) + "\",\"label\":null}],\"state\":{\"x\":[1,{}]}}";
    private static final String STATE = "{\"next_index\":2,\"derived\":{\"" + ADDRESS + "\":1},\"labels\":{\"" + ADDRESS
            + "\":\"x\"},\"imported\":[\"" + SECRET + "\"],\"other\":[1.50,{\"a\":null}]}";

    @FuzzTest(maxDuration = "5m")
    void vaults(byte[] json) {
        try (SecretBytes content = SecretBytes.copyOf(json)) {
            try (Vault.Contents vault = Vault.read(content, SEALER)) {
                vault.keys()
                        .forEach(key -> assertThat(SEALER.addressOf(SEALER.publicKey(key.secret())))
                                .isEqualTo(key.address()));
                vault.evmKeys()
                        .forEach(key ->
                                assertThat(EvmAddress.ofSecret(key.secret())).isEqualTo(key.address()));
            }
        } catch (KeyringException e) {
            assertThat(e.reason()).isEqualTo(Reason.INVALID);
        }
    }

    @FuzzTest(maxDuration = "5m")
    void states(byte[] json) {
        try {
            StateJson state = StateJson.parse(json);
            assertThat(state.derived().values())
                    .allMatch(index -> index < state.nextIndex() || index == StateJson.MAX_U32);
            assertThat(state.nextIndex()).isBetween(0L, StateJson.MAX_U32);
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    @Test
    void the_samples_are_read() throws Exception {
        try (SecretBytes content = KeyringFixture.secret(VAULT)) {
            List<NewKey> keys = Vault.read(content, SEALER).keys();
            assertThat(keys).hasSize(2);
            assertThat(keys.get(0).address().hex()).isEqualTo(ADDRESS);
            assertThat(keys.get(0).entropy()).isPresent();
            assertThat(keys.get(1).entropy()).isEmpty();
        }
        assertThat(StateJson.parse(STATE.getBytes(StandardCharsets.UTF_8)).nextIndex())
                .isEqualTo(2);
    }

    @Test
    void vaults_that_are_not_vaults_are_invalid() {
        String[] bad = {
            "",
            "[]",
            "{}",
            "{\"version\":1}",
            "{\"keys\":[]}",
            "{\"version\":2,\"keys\":[]}",
            "{\"version\":\"1\",\"keys\":[]}",
            "{\"version\":1,\"keys\":{}}",
            "{\"version\":1,\"keys\":[5]}",
            "{\"version\":1,\"keys\":[{}]}",
            "{\"version\":1,\"keys\":[{\"secret_hex\":\"00\"}]}",
            "{\"version\":1,\"keys\":[{\"secret_hex\":7}]}",
            "{\"version\":1,\"keys\":[]} x",
            "{\"version\":1,\"keys\":[],\"evm_keys\":{}}",
            "{\"version\":1,\"keys\":[],\"evm_keys\":[7]}",
            "{\"version\":1,\"keys\":[],\"evm_keys\":[{}]}",
            "{\"version\":1,\"keys\":[],\"evm_keys\":[{\"secret_hex\":\"" + "00".repeat(32) + "\"}]}",
            VAULT.substring(0, VAULT.length() - 1)
        };
        for (String json : bad) {
            try (SecretBytes content = KeyringFixture.secret(json)) {
                Vault.read(content, SEALER);
                throw new AssertionError("accepted: " + json);
            } catch (KeyringException e) {
                assertThat(e.reason()).as(json).isEqualTo(Reason.INVALID);
                assertThat(e.getMessage()).doesNotContain(SECRET);
            }
        }
    }

    @Test
    void mutations_of_the_samples_are_read_or_refused() {
        Random random = Seeded.random("mutations_of_the_samples_are_read_or_refused");
        for (int i = 0; i < 1_500; i++) {
            vaults(mutated(VAULT, random));
            states(mutated(STATE, random));
        }
    }

    private static byte[] mutated(String sample, Random random) {
        byte[] bytes = sample.getBytes(StandardCharsets.UTF_8);
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(3)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] = (byte) "{}[]\",:0x \\".charAt(random.nextInt(11));
                default -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
            }
        }
        return bytes;
    }
}
