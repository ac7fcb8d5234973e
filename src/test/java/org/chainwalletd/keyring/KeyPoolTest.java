package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.derived;
import static org.chainwalletd.keyring.KeyringFixture.eventually;
import static org.chainwalletd.keyring.KeyringFixture.phrase;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyPoolTest {
    private static final Executor BACKGROUND = ForkJoinPool.commonPool();

    @TempDir
    Path datadir;

    private final AtomicInteger stretchings = new AtomicInteger();

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        fixture.argon2(work -> {
            stretchings.incrementAndGet();
            BACKGROUND.execute(work);
        });
        keyring = fixture.open();
    }

    private double ready() {
        return fixture.metrics.get("walletd.keyring.pool.keys").gauge().value();
    }

    private double misses() {
        return fixture.metrics.get("walletd.keyring.pool.misses").counter().count();
    }

    private void warm(int size) {
        keyring.keepPool(size, BACKGROUND);
        eventually(() -> ready() == size);
    }

    private KeyEntry mint(String label) {
        return await(keyring.generateStandard(Optional.of(label)));
    }

    @Test
    void a_key_of_the_pool_is_given_out_without_any_stretching() {
        warm(3);
        stretchings.set(0);

        Set<Address> given = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            eventually(() -> ready() > 0);
            given.add(mint("n" + i).address());
        }

        assertThat(given).hasSize(20);
        assertThat(stretchings).hasValue(0);
        assertThat(misses()).isZero();
    }

    @Test
    void a_key_of_the_pool_is_as_whole_and_durable_as_any() {
        warm(2);
        keyring.bornBy(() -> OptionalLong.of(700));
        KeyEntry key = mint("from the pool");
        assertThat(key.label()).contains("from the pool");
        assertThat(key.imported()).isTrue();
        await(keyring.close());
        fixture.close();
        open();

        assertThat(keyring.list()).containsExactly(key);
        assertThat(await(keyring.sign(key.address(), new byte[4])).publicKey()).isEqualTo(key.knownPublicKey());
        String words = phrase(keyring, key.address());
        assertThat(await(fixture.beside("other").open().importStandard(secret(words), Optional.empty()))
                        .address())
                .isEqualTo(key.address());
    }

    @Test
    void a_key_of_the_pool_is_born_when_it_is_given_out() {
        keyring.bornBy(() -> OptionalLong.of(700));
        warm(1);
        keyring.bornBy(() -> OptionalLong.of(9_100));

        Address address = mint("late").address();

        List<OwnKey> keys = await(keyring.keys());
        assertThat(keys).extracting(OwnKey::address).containsExactly(address);
        assertThat(keys.get(0).birth()).hasValue(9_000);
    }

    @Test
    void what_was_not_given_out_is_in_no_list_and_in_no_file_and_gone_after_a_restart() {
        warm(4);
        KeyEntry given = mint("one");

        assertThat(keyring.list()).containsExactly(given);
        assertThat(datadir.resolve("wallets/imported").toFile().list())
                .allMatch(name -> name.startsWith(given.address().hex()));
        await(keyring.close());
        fixture.close();
        open();
        assertThat(keyring.list()).containsExactly(given);
    }

    @Test
    void callers_at_once_never_get_the_same_key_and_an_empty_pool_makes_nobody_wait_for_it() {
        warm(5);

        List<CompletionStage<KeyEntry>> asked = IntStream.range(0, 40)
                .mapToObj(i -> keyring.generateStandard(Optional.empty()))
                .toList();
        Set<Address> given = new HashSet<>();
        asked.forEach(stage -> given.add(await(stage).address()));

        assertThat(given).hasSize(40);
        assertThat(misses()).isPositive();
        eventually(() -> ready() == 5);
        assertThat(keyring.size()).isEqualTo(40);
    }

    /** Keys of a seed are derived in order regardless of the pool: only the seed's Argon2id is computed in advance for them. */
    @Test
    void keys_of_a_seed_cost_no_stretching_and_come_in_their_order() throws Exception {
        fixture.close();
        fixture = new KeyringFixture(datadir.resolve("seeded/wallets"));
        fixture.initSeeded();
        fixture.argon2(work -> {
            stretchings.incrementAndGet();
            BACKGROUND.execute(work);
        });
        keyring = fixture.open();
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            keyring.keepPool(2, one);
            eventually(() -> ready() == 2);
            stretchings.set(0);

            List<CompletionStage<KeyEntry>> derived = IntStream.range(0, 10)
                    .mapToObj(i -> keyring.deriveNext(Optional.empty()))
                    .toList();
            KeyEntry standard = mint("of the pool");

            for (int i = 0; i < 10; i++) {
                assertThat(await(derived.get(i)).index()).hasValue(i);
            }
            assertThat(standard.index()).isEmpty();
            assertThat(stretchings).hasValue(0);
        } finally {
            one.shutdownNow();
        }
    }

    @Test
    void a_seed_that_is_needed_before_it_was_unsealed_ahead_serves_everybody() throws Exception {
        fixture.close();
        fixture = new KeyringFixture(datadir.resolve("seeded/wallets"));
        fixture.initSeeded();
        keyring = fixture.open();
        Queue<Runnable> later = new ConcurrentLinkedQueue<>();
        keyring.keepPool(1, later::add);
        eventually(() -> !later.isEmpty());
        Address first = derived(keyring).address();
        later.forEach(Runnable::run);

        assertThat(derived(keyring).index()).hasValue(1);
        await(keyring.sign(first, new byte[1]));
    }

    /** Otherwise it would take the processor from waiting callers. */
    @Test
    void the_pool_is_filled_only_while_no_other_key_is_stretched() {
        fixture.close();
        fixture = new KeyringFixture(datadir.resolve("wallets"));
        Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        AtomicBoolean holding = new AtomicBoolean();
        fixture.argon2(work -> {
            if (holding.get()) {
                held.add(work);
            } else {
                BACKGROUND.execute(work);
            }
        });
        keyring = fixture.open();
        holding.set(true);
        CompletionStage<KeyEntry> waited = keyring.generateIndependent(Optional.empty());
        eventually(() -> held.size() == 1);
        AtomicInteger begun = new AtomicInteger();
        keyring.keepPool(1, work -> {
            begun.incrementAndGet();
            BACKGROUND.execute(work);
        });
        await(keyring.find(Address.parse("00".repeat(32))));
        assertThat(begun).hasValue(0);

        held.remove().run();
        await(waited);
        eventually(() -> ready() == 1);
    }

    @Test
    void keys_are_made_without_a_pool_that_cannot_be_filled() {
        Queue<Runnable> never = new ArrayDeque<>();
        keyring.keepPool(3, never::add);

        assertThat(Stream.of("a", "b").map(this::mint).map(KeyEntry::address)).doesNotHaveDuplicates();
        assertThat(ready()).isZero();
        assertThat(never).as("one at a time").hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void a_label_that_cannot_be_is_refused_and_costs_no_key() {
        warm(1);

        assertRefused(Reason.INVALID, keyring.generateStandard(Optional.of("x".repeat(100_000))));
        assertThat(ready()).isEqualTo(1);
    }

    @Test
    void a_keyring_that_closes_gives_nothing_out_any_more() {
        warm(2);
        await(keyring.close());

        assertThat(refusal(keyring.generateStandard(Optional.empty()))).hasMessageContaining("shutting down");
    }
}
