package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;
import static org.chainwalletd.keyring.KeyringFixture.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.testkit.OwnFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keyrings and a vault as written by version 1. A new version adds samples, and never changes these. */
@Tag("long")
class FrozenKeyringTest {
    @TempDir
    Path folder;

    private JsonNode expected;

    @BeforeEach
    void copy() throws Exception {
        Path samples = Path.of(FrozenKeyringTest.class
                        .getResource("/frozen/v1/keyring/expected.json")
                        .toURI())
                .getParent();
        expected = new ObjectMapper().readTree(samples.resolve("expected.json").toFile());
        try (Stream<Path> files = Files.walk(samples)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = folder.resolve(samples.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
        OwnFiles.of(folder);
    }

    private Address address(String key) {
        return Address.parse(expected.get(key).get("address").textValue());
    }

    private String words(String key) {
        return expected.get(key).get("words").textValue();
    }

    @Test
    void a_seedless_keyring_of_version_1_opens_with_all_its_keys() {
        try (KeyringFixture fixture = new KeyringFixture(folder.resolve("seedless")).specifiedCost()) {
            Keyring keyring = fixture.open();
            assertThat(keyring.list())
                    .extracting(KeyEntry::address)
                    .containsExactly(address("standard"), address("independent"), address("imported"));
            assertThat(keyring.list())
                    .extracting(KeyEntry::label)
                    .containsExactly(Optional.of("standard é \"q\""), Optional.empty(), Optional.of("imported"));
            for (String key : new String[] {"standard", "independent", "imported"}) {
                KeyEntry entry = await(keyring.find(address(key))).orElseThrow();
                assertThat(entry.knownPublicKey().hex())
                        .isEqualTo(expected.get(key).get("pubkey").textValue());
                assertThat(phrase(keyring, address(key))).isEqualTo(words(key));
            }
            assertThat(secretHex(keyring, address("imported"))).isEqualTo("2a".repeat(32));
        }
    }

    @Test
    void a_seeded_keyring_of_version_1_opens_and_continues() {
        try (KeyringFixture fixture = new KeyringFixture(folder.resolve("seeded")).specifiedCost()) {
            Keyring keyring = fixture.open();
            assertThat(keyring.list())
                    .extracting(entry -> entry.address().hex())
                    .containsExactly(
                            expected.get("seed").get("addresses").get(0).textValue(),
                            expected.get("seed").get("addresses").get(1).textValue());
            assertThat(text(await(keyring.revealSeedPhrase(secret(PASSPHRASE)))))
                    .isEqualTo(words("seed"));
            assertThat(await(keyring.deriveNext(Optional.empty())).index()).hasValue(2);
        }
    }

    /** Returns the vault's content sealed at a low cost: a keyring would seal all its keys at the cost of the vault. */
    private Bytes atCheapCost(Bytes vault) {
        try (KeyringFixture specified = new KeyringFixture(folder.resolve("nowhere")).specifiedCost();
                KeyringFixture cheap = new KeyringFixture(folder.resolve("nowhere"));
                SecretBytes passphrase = secret("vault passphrase");
                SecretBytes content = specified
                        .setup()
                        .sealer()
                        .open(Sealer.Role.VAULT, passphrase, SealedBlob.parse(vault.toArray()))) {
            return Bytes.wrap(cheap.setup()
                    .sealer()
                    .seal(Sealer.Role.VAULT, passphrase, content)
                    .toBytes());
        }
    }

    @Test
    void a_vault_of_version_1_restores_phrases_and_labels() throws Exception {
        Bytes vault = atCheapCost(
                Bytes.parse(Files.readString(folder.resolve("vault.hex")).strip()));
        try (KeyringFixture fixture = new KeyringFixture(folder.resolve("restored"))) {
            Keyring keyring = fixture.open();
            assertThat(await(keyring.importVault(vault, secret("vault passphrase"))))
                    .containsExactly(address("standard"), address("independent"), address("imported"));
            assertThat(phrase(keyring, address("standard"))).isEqualTo(words("standard"));
            assertThat(await(keyring.find(address("imported"))).orElseThrow().label())
                    .contains("imported");
        }
    }
}
