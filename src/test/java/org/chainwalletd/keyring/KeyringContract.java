package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.FORCED;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.created;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.derived;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.secret;
import static org.chainwalletd.keyring.KeyringFixture.secretHex;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.Sealer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Behaviour of every keyring, wherever it is stored. */
abstract class KeyringContract {
    private static final int STEPS = 60;

    @AutoClose
    KeyringFixture fixture;

    Keyring keyring;

    /** Returns a fixture without a keyring. */
    abstract KeyringFixture place();

    @BeforeEach
    void fixture() {
        fixture = place();
    }

    void restart() {
        if (keyring != null) {
            await(keyring.close());
        }
        keyring = fixture.open();
    }

    /** Makes a keyring with a seed. */
    void seed() {
        KeyringStore store = FolderStore.open(fixture.setup(), true);
        try (SecretBytes passphrase = secret(PASSPHRASE);
                SecretBytes entropy = SecretBytes.takeOver(new byte[32])) {
            SealedBlob seed = fixture.setup().sealer().seal(Sealer.Role.SEED, passphrase, entropy);
            store.makeSeeded(seed);
            assertThat(store.isFree()).isFalse();
        }
    }

    @Test
    void keys_their_labels_and_births_are_there_after_a_restart() {
        restart();
        keyring.bornBy(() -> OptionalLong.of(5_000));
        KeyEntry standard = await(keyring.generateStandard(Optional.of("häuser \"7\"\\")));
        KeyEntry independent = await(keyring.generateIndependent(Optional.empty()));
        KeyEntry imported = await(keyring.importSecret(secret("11".repeat(32)), Optional.of("brought")));
        String words = phrase(keyring, standard.address());
        await(keyring.setLabel(independent.address(), Optional.of("second")));
        await(keyring.setLabel(imported.address(), Optional.empty()));
        List<KeyEntry> before = List.copyOf(keyring.list());
        List<KeyEvents.OwnKey> births = await(keyring.keys());
        restart();

        assertThat(keyring.list()).isEqualTo(before);
        assertThat(List.copyOf(await(keyring.keys()))).isEqualTo(List.copyOf(births));
        assertThat(births).extracting(KeyEvents.OwnKey::birth).contains(OptionalLong.of(4_900), OptionalLong.empty());
        assertThat(phrase(keyring, standard.address())).isEqualTo(words);
        assertThat(secretHex(keyring, imported.address())).isEqualTo("11".repeat(32));
        await(keyring.sign(independent.address(), new byte[] {1}));
    }

    @Test
    void a_deleted_key_is_gone_and_can_be_imported_again() {
        restart();
        KeyEntry kept = minted(keyring);
        Address gone = await(keyring.importSecret(secret("22".repeat(32)), Optional.of("old")))
                .address();
        delete(keyring, gone);
        restart();
        assertThat(keyring.list()).containsExactly(kept);
        assertThat(FolderStore.open(fixture.setup(), true).find(SealedPlace.key(gone)))
                .isEmpty();

        await(keyring.importSecret(secret("22".repeat(32)), Optional.of("new")));
        restart();
        assertThat(keyring.list()).extracting(KeyEntry::label).containsExactly(Optional.empty(), Optional.of("new"));
    }

    @Test
    void no_index_of_a_seed_is_given_twice() {
        seed();
        restart();
        KeyEntry first = derived(keyring, "first");
        minted(keyring);
        KeyEntry second = derived(keyring);
        restart();
        assertThat(keyring.list()).extracting(KeyEntry::address).contains(first.address(), second.address());
        assertThat(derived(keyring).index()).hasValue(2);
        assertThat(keyring.list()).extracting(KeyEntry::imported).containsExactly(false, false, true, false);
        await(keyring.sign(first.address(), new byte[] {1}));
    }

    @Test
    void a_second_seed_is_refused_and_changes_nothing() {
        seed();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(new InitSeeded(fixture.setup(), new PrintStream(new ByteArrayOutputStream()), new PrintStream(err))
                        .run(secret(PASSPHRASE), Optional.empty()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("there is a keyring already");
    }

    @Test
    void a_wrong_passphrase_is_refused_also_before_there_is_a_key() {
        restart();
        KeyringFixture.eventually(() ->
                FolderStore.open(fixture.setup(), true).find(SealedPlace.CHECK).isPresent());
        await(keyring.close());
        assertRefused(Reason.LOCKED, fixture.tryOpen("wrong"));
        keyring = fixture.open();
        minted(keyring);
        await(keyring.close());
        assertThat(refusal(fixture.tryOpen("wrong"))).hasMessageContaining("wrong passphrase");
    }

    @Test
    void the_account_chain_key_is_there_after_a_restart_and_its_predecessor_is_kept() {
        restart();
        EvmAddress first = created(keyring.evm(), FORCED);
        EvmAddress second = created(keyring.evm(), FORCED);
        restart();
        EvmAddress now = await(keyring.evm().revealKey(secret(PASSPHRASE))).address();
        assertThat(now).isEqualTo(second);
        assertThat(FolderStore.open(fixture.setup(), true).load().keptEvm()).contains(first);
    }

    @Test
    void whatever_happens_a_key_is_there_with_its_last_label_until_it_is_deleted() {
        long chosen = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(chosen);
        seed();
        restart();
        Map<Address, Optional<String>> expected = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            Optional<String> label =
                    random.nextBoolean() ? Optional.of("label " + random.nextInt(10)) : Optional.empty();
            List<Address> there = List.copyOf(expected.keySet());
            Optional<Address> some =
                    there.isEmpty() ? Optional.empty() : Optional.of(there.get(random.nextInt(there.size())));
            switch (random.nextInt(6)) {
                case 0 -> expected.put(await(keyring.generateStandard(label)).address(), label);
                case 1 -> expected.put(await(keyring.deriveNext(label)).address(), label);
                case 2 -> {
                    String brought =
                            String.format("%02x", 1 + random.nextInt(3)).repeat(32);
                    try {
                        expected.put(
                                await(keyring.importSecret(secret(brought), label))
                                        .address(),
                                label);
                    } catch (KeyringException e) {
                        assertThat(e.reason()).as("seed %d", chosen).isEqualTo(Reason.ALREADY_PRESENT);
                    }
                }
                case 3 ->
                    some.ifPresent(address -> {
                        await(keyring.setLabel(address, label));
                        expected.put(address, label);
                    });
                case 4 ->
                    some.filter(address -> random.nextInt(3) == 0).ifPresent(address -> {
                        delete(keyring, address);
                        expected.remove(address);
                    });
                default -> restart();
            }
            Map<Address, Optional<String>> found = new HashMap<>();
            keyring.list().forEach(entry -> found.put(entry.address(), entry.label()));
            assertThat(found).as("seed %d, step %d", chosen, step).isEqualTo(expected);
        }
        for (Address address : expected.keySet()) {
            await(keyring.sign(address, new byte[] {1}));
        }
    }
}
