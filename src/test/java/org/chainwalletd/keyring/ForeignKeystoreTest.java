package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.derived;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;
import static org.chainwalletd.keyring.KeyringFixture.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.testkit.OwnFiles;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keystores with the bytes of the golden vectors, as another implementation would have left them. */
@Tag("long")
class ForeignKeystoreTest {
    private static final String PASSPHRASE = "correct horse battery staple";
    private static final String SECRET_A = "01".repeat(32);

    @TempDir
    Path datadir;

    private KeyringFixture fixture;

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static Address addressOf(String file, String row) {
        return Address.parse(Vectors.text(Vectors.row(file, row), "address"));
    }

    private void write(String name, byte[] content) throws Exception {
        Path file = datadir.resolve("wallets").resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        OwnFiles.of(datadir.resolve("wallets"));
    }

    private Keyring open() {
        fixture = new KeyringFixture(datadir.resolve("wallets")).specifiedCost();
        return fixture.open();
    }

    private Keyring openCheap() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        return fixture.open();
    }

    /** Returns a blob with the bytes of the vectors. */
    private static byte[] golden(JsonNode row) {
        return Vectors.bytes(row, "blob");
    }

    /** Returns the content of the vectors' blob, sealed at a low cost; the tests of blobs verify that its key is the right one. */
    private static byte[] cheap(JsonNode row) {
        byte[] role = Vectors.text(row, "aad").getBytes(StandardCharsets.UTF_8);
        byte[] passphrase = Vectors.text(row, "passphrase").getBytes(StandardCharsets.UTF_8);
        try (SecretBytes key = SecretBytes.takeOver(Vectors.bytes(row, "key"));
                SecretBytes content = SealedBlob.parse(golden(row)).open(key, role)) {
            return content.use(
                    plain -> SealedBlob.seal(KeyringFixture.CHEAP, passphrase, new SecureRandom(), role, plain)
                            .toBytes());
        }
    }

    /**
     * Writes a seeded keystore with two derived keys, one imported secret and one standard key; only with the members of the specification and one
     * more.
     */
    private void writeSeededKeystore(Argon2 cost) throws Exception {
        Address a = addressOf("addresses.json", "A");
        Address standard = addressOf("keys.json", "standard-7f");
        Function<JsonNode, byte[]> sealed =
                cost == Argon2.SPECIFIED ? ForeignKeystoreTest::golden : ForeignKeystoreTest::cheap;
        write("seed.enc", sealed.apply(Vectors.row("sealed.json", "seed")));
        write("imported/" + a + ".key.enc", sealed.apply(Vectors.row("sealed.json", "imported")));
        write("imported/" + standard + ".mnemonic.enc", sealed.apply(Vectors.row("sealed.json", "mnemonic")));
        try (SecretBytes secret =
                        SecretBytes.takeOver(Vectors.bytes(Vectors.row("keys.json", "standard-7f"), "secret"));
                SecretBytes passphrase = secret(PASSPHRASE)) {
            byte[] role = Sealer.Role.IMPORTED.bytes(KeyringFixture.CHAIN);
            SealedBlob blob = secret.use(
                    plain -> passphrase.use(phrase -> SealedBlob.seal(cost, phrase, new SecureRandom(), role, plain)));
            write("imported/" + standard + ".key.enc", blob.toBytes());
        }
        write("state.json", """
                {"future": {"b": [1, 2.50, "x"]}, "imported": ["%s", "%s"], "labels": {"%s": "old \\u00e9", "%s": "zero"},
                 "derived": {"%s": 1, "%s": 0}, "next_index": 2}""".formatted(
                        a,
                        standard,
                        a,
                        addressOf("keys.json", "hd-0-abandon-art"),
                        addressOf("keys.json", "hd-1-abandon-art"),
                        addressOf("keys.json", "hd-0-abandon-art"))
                .getBytes("UTF-8"));
    }

    @Test
    void a_seeded_keystore_of_another_implementation_opens() throws Exception {
        writeSeededKeystore(Argon2.SPECIFIED);
        Keyring keyring = open();

        Address a = addressOf("addresses.json", "A");
        Address standard = addressOf("keys.json", "standard-7f");
        Address zero = addressOf("keys.json", "hd-0-abandon-art");
        Address one = addressOf("keys.json", "hd-1-abandon-art");
        assertThat(keyring.list()).extracting(KeyEntry::address).containsExactly(zero, one, a, standard);
        assertThat(keyring.list()).extracting(KeyEntry::imported).containsExactly(false, false, true, true);
        assertThat(keyring.list())
                .extracting(KeyEntry::label)
                .containsExactly(Optional.of("zero"), Optional.empty(), Optional.of("old é"), Optional.empty());

        assertThat(secretHex(keyring, a)).isEqualTo(SECRET_A);
        assertThat(text(await(keyring.revealSeedPhrase(secret(PASSPHRASE)))))
                .isEqualTo(Vectors.text(Vectors.row("keys.json", "hd-0-abandon-art"), "mnemonic"));
        assertThat(phrase(keyring, standard))
                .isEqualTo(Vectors.text(Vectors.row("keys.json", "standard-7f"), "mnemonic"));
    }

    @Test
    void a_seeded_keystore_of_another_implementation_grows() throws Exception {
        writeSeededKeystore(KeyringFixture.CHEAP);
        Keyring keyring = openCheap();
        Address a = addressOf("addresses.json", "A");
        Address one = addressOf("keys.json", "hd-1-abandon-art");

        assertThat(secretHex(keyring, one))
                .isEqualTo(Vectors.text(Vectors.row("keys.json", "hd-1-abandon-art"), "secret"));
        KeyEntry two = derived(keyring, "two");
        assertThat(two.address()).isEqualTo(addressOf("keys.json", "hd-2-abandon-art"));
        assertThat(two.index()).hasValue(2);

        String text = Files.readString(datadir.resolve("wallets/state.json"));
        assertThat(text).contains("\"future\": {\"b\":[1,2.50,\"x\"]}");
        JsonNode state = new ObjectMapper().readTree(text);
        assertThat(state.get("next_index").intValue()).isEqualTo(3);
        assertThat(state.get("derived").get(two.address().hex()).intValue()).isEqualTo(2);
        assertThat(state.get("labels").get(a.hex()).textValue()).isEqualTo("old é");
    }

    @Test
    void public_keys_that_another_implementation_does_not_keep_are_learnt() throws Exception {
        writeSeededKeystore(KeyringFixture.CHEAP);
        Keyring keyring = openCheap();
        Address one = addressOf("keys.json", "hd-1-abandon-art");
        Address a = addressOf("addresses.json", "A");

        assertThat(await(keyring.find(one)).orElseThrow().knownPublicKey().hex())
                .isEqualTo(Vectors.text(Vectors.row("keys.json", "hd-1-abandon-art"), "public_key"));
        assertThat(await(keyring.find(a)).orElseThrow().knownPublicKey().hex())
                .isEqualTo(Vectors.text(Vectors.row("addresses.json", "A"), "public_key"));
        KeyringFixture.eventually(() ->
                keyring.list().stream().allMatch(entry -> entry.publicKey().isPresent()));
        assertThat(fixture.metrics.get("walletd.keyring.state.writes").counter().count())
                .as("state.json does not hold public keys")
                .isZero();

        await(keyring.close());
        List<KeyEntry> reopened = fixture.open().list();
        assertThat(reopened).allMatch(entry -> entry.publicKey().isPresent());
    }

    @Test
    void a_vault_of_another_implementation_with_secrets_only_is_imported_in_its_order() {
        JsonNode row = Vectors.row("sealed.json", "vault");
        Keyring keyring = openCheap();
        List<Address> imported =
                await(keyring.importVault(Bytes.wrap(cheap(row)), secret(Vectors.text(row, "passphrase"))));

        assertThat(imported).containsExactly(addressOf("addresses.json", "A"), addressOf("addresses.json", "B"));
        assertThat(keyring.list())
                .extracting(KeyEntry::label)
                .containsExactly(Optional.of("savings"), Optional.empty());
    }

    @Test
    void a_keystore_of_another_brand_opens_under_that_brand_only() throws Exception {
        Address a = addressOf("other-brand.json", "address-A");
        write("imported/" + a + ".key.enc", Vectors.bytes(Vectors.row("other-brand.json", "sealed-imported"), "blob"));
        write(
                "state.json",
                ("{\"next_index\":0,\"derived\":{},\"labels\":{},\"imported\":[\"" + a + "\"]}").getBytes());

        fixture = new KeyringFixture(datadir.resolve("wallets")).specifiedCost();
        assertRefused(Reason.LOCKED, fixture.tryOpen(PASSPHRASE));
        fixture.brand("alpha");
        Keyring keyring = fixture.open();
        byte[] message = {7};
        Signer.Signature signature = await(keyring.sign(a, message));
        assertThat(Ed25519.verify(signature.publicKey().toArray(), message, signature.bytes()))
                .isTrue();
    }

    @Test
    void a_vault_that_does_not_open_is_refused_with_the_reason() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        Keyring keyring = fixture.open();
        for (JsonNode row : Vectors.rows("sealed.json")) {
            String expected = Vectors.text(row, "expect");
            boolean isVault = Vectors.text(row, "payload_class").equals("vault");
            if (expected.equals("ok") && isVault) {
                continue;
            }
            Reason reason =
                    expected.equals("decryption-failed") || expected.equals("ok") ? Reason.LOCKED : Reason.INVALID;
            fixture.passes(Duration.ofMinutes(2));
            assertThat(refusal(keyring.importVault(
                                    Bytes.wrap(Vectors.bytes(row, "blob")), secret(Vectors.text(row, "passphrase"))))
                            .reason())
                    .as(Vectors.text(row, "name"))
                    .isEqualTo(reason);
        }
        assertThat(keyring.size()).isZero();
    }
}
