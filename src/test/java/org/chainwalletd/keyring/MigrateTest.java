package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmCustody;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrateTest {
    private static final String A = Vectors.text(Vectors.row("addresses.json", "A"), "address");
    private static final String B = Vectors.text(Vectors.row("addresses.json", "B"), "address");
    private static final String M = Vectors.text(Vectors.row("addresses.json", "M"), "address");
    private static final String JUNK = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @AutoClose
    private KeyringFixture fixture;

    private Path from;

    @BeforeEach
    void folders() throws Exception {
        fixture = new KeyringFixture(folder.resolve("data/wallets"));
        from = Files.createDirectory(folder.resolve("from"));
    }

    private int migrate(String passphrase) {
        return new Migrate(fixture.setup(), new PrintStream(out), new PrintStream(err)).run(secret(passphrase), from);
    }

    private void raw(String name, String hex) throws Exception {
        Files.write(from.resolve(name), HexFormat.of().parseHex(hex));
    }

    @Test
    void raw_secrets_and_revealed_ones_are_imported_and_sign() throws Exception {
        raw(A + ".key", "01".repeat(32));
        Files.writeString(from.resolve(B + ".key"), "02".repeat(32) + "\n");
        Files.writeString(from.resolve(M), "03".repeat(32));
        assertThat(migrate(PASSPHRASE)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("migrated 3 keys");

        Keyring keyring = fixture.open();
        assertThat(keyring.list())
                .extracting(KeyEntry::address)
                .extracting(Address::hex)
                .containsExactlyInAnyOrder(A, B, M);
        assertThat(secretHex(keyring, Address.parse(B))).isEqualTo("02".repeat(32));
        await(keyring.sign(Address.parse(A), new byte[1]));
    }

    @Test
    void a_file_that_is_not_what_its_name_says_is_refused_and_the_rest_continues() throws Exception {
        raw(A + ".key", "01".repeat(32));
        raw(M + ".key", "02".repeat(32));
        raw(B + ".key", "02".repeat(31));
        Files.writeString(from.resolve("notes.txt"), "hello");
        Files.writeString(from.resolve("x".repeat(64) + ".key"), "zz".repeat(32));
        Files.createDirectory(from.resolve("folder"));
        assertThat(migrate(PASSPHRASE)).isEqualTo(1);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("migrated 1 keys")
                .contains("5 files were refused");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(M + ".key")
                .contains("notes.txt")
                .doesNotContain("0101");
        assertThat(fixture.open().list()).extracting(KeyEntry::address).containsExactly(Address.parse(A));
    }

    @Test
    void account_chain_keys_are_imported_by_their_names_the_first_as_the_current_one() throws Exception {
        EvmAddress first = EvmAddress.parse("0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A");
        EvmAddress second = EvmAddress.parse("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
        raw(first + ".key", "11".repeat(32));
        Files.writeString(from.resolve(second.toString().toLowerCase(Locale.ROOT)), JUNK + "\n");
        raw("0x" + "12".repeat(20) + ".key", "13".repeat(32));
        raw("0x" + "14".repeat(20) + ".key", "00".repeat(32));
        for (int again = 0; again < 2; again++) {
            assertThat(migrate(PASSPHRASE)).isEqualTo(1);
        }
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("migrated 2 keys, 0 were there already, 2 files")
                .contains("migrated 0 keys, 2 were there already, 2 files");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("not the account-chain address")
                .contains("no secp256k1 secret");

        EvmCustody evm = fixture.open().evm();
        assertThat(await(evm.kept())).containsExactly(first, second);
        await(evm.sign(second, new byte[32]));
    }

    @Test
    void an_account_chain_key_that_cannot_be_kept_ends_the_migration_with_a_message() throws Exception {
        raw("0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A.key", "11".repeat(32));
        EvmAddress kept = EvmAddress.parse("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
        raw(kept + ".key", JUNK);
        await(fixture.open().close());
        Path phrase = fixture.wallets().resolve("evm/" + kept.hex() + ".mnemonic.enc");
        Path inTheWay = Files.createDirectories(phrase.resolve("folder"));

        assertThat(migrate(PASSPHRASE)).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("migrate: cannot remove " + phrase);
        Files.delete(inTheWay);
        Files.delete(phrase);
        assertThat(migrate(PASSPHRASE)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("migrated 1 keys, 1 were there already");
    }

    @Test
    void what_is_there_already_is_skipped_with_its_label() throws Exception {
        Keyring keyring = fixture.open();
        await(keyring.importSecret(secret("01".repeat(32)), Optional.of("mine")));
        await(keyring.close());
        raw(A + ".key", "01".repeat(32));
        raw(B + ".key", "02".repeat(32));
        assertThat(migrate(PASSPHRASE)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("migrated 1 keys, 1 were there already");
        assertThat(fixture.open().list())
                .extracting(KeyEntry::label)
                .containsExactly(Optional.of("mine"), Optional.empty());
    }

    @Test
    void more_keys_than_one_write_holds_are_all_imported() throws Exception {
        Sealer sealer = fixture.setup().sealer();
        for (int i = 0; i < 205; i++) {
            try (NewKey key = NewKey.alone(sealer, sealer.newSecret(), KeyNote.Origin.INDEPENDENT, Optional.empty())) {
                Files.write(from.resolve(key.address() + ".key"), key.secret().copy());
            }
        }
        assertThat(migrate(PASSPHRASE)).isZero();
        assertThat(fixture.open().size()).isEqualTo(205);
    }

    @Test
    void a_wrong_passphrase_a_missing_folder_and_a_datadir_in_use_change_nothing() throws Exception {
        Keyring keyring = fixture.open();
        await(keyring.importSecret(secret("01".repeat(32)), Optional.empty()));
        await(keyring.close());
        raw(B + ".key", "02".repeat(32));
        assertThat(migrate("wrong")).isEqualTo(2);
        try (DatadirLock lock = DatadirLock.acquire(folder.resolve("data"))) {
            assertThat(migrate(PASSPHRASE)).isEqualTo(2);
            assertThat(lock).isNotNull();
        }
        Files.delete(from.resolve(B + ".key"));
        Files.delete(from);
        assertThat(migrate(PASSPHRASE)).isEqualTo(2);
        assertThat(fixture.open().size()).isEqualTo(1);
    }
}
