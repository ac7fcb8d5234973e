package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.keyring.KeyringFixture.FORCED;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.assertRefused;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.created;
import static org.chainwalletd.keyring.KeyringFixture.eventually;
import static org.chainwalletd.keyring.KeyringFixture.refusal;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.Stretching;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Order of Argon2id computations, and which are not made at all. The test runs their only thread, one computation at a time. */
class StretchingTest {
    @TempDir
    Path datadir;

    private final Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
    private volatile boolean held;

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;
    private Address sealed;

    @BeforeEach
    void openWithASealedKey() {
        fixture = new KeyringFixture(datadir.resolve("wallets")).mostMints(8);
        fixture.argon2(work -> {
            if (held) {
                turns.add(work);
            } else {
                work.run();
            }
        });
        Keyring first = fixture.open();
        sealed = await(first.generateIndependent(Optional.empty())).address();
        keyring = fixture.reopened(first);
        held = true;
    }

    private void turn() {
        turns.remove().run();
    }

    private void awaitTurns(int count) {
        eventually(() -> turns.size() == count);
    }

    private List<CompletionStage<KeyEntry>> mints(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> keyring.generateIndependent(Optional.empty()))
                .toList();
    }

    private double metric(String name) {
        return fixture.metrics.get(name).counter().count();
    }

    @Test
    void a_first_signature_and_then_a_reveal_go_before_all_keys_that_are_being_made() {
        List<CompletionStage<KeyEntry>> mints = mints(5);
        awaitTurns(5);
        var revealed = keyring.revealSecret(sealed, secret(PASSPHRASE));
        awaitTurns(6);
        var signed = keyring.sign(sealed, new byte[1]);
        awaitTurns(7);

        turn();
        await(signed);
        assertThat(revealed.toCompletableFuture()).isNotDone();
        turn();
        await(revealed).close();
        assertThat(keyring.list()).hasSize(1);

        IntStream.range(0, 5).forEach(i -> turn());
        mints.forEach(KeyringFixture::await);
        assertThat(keyring.list()).hasSize(6);
    }

    @Test
    void a_first_signature_of_the_account_chain_key_goes_before_a_reveal() {
        held = false;
        EvmAddress own = created(keyring.evm(), FORCED);
        keyring = fixture.reopened(keyring);
        held = true;
        var revealed = keyring.revealSecret(sealed, secret(PASSPHRASE));
        awaitTurns(1);
        var signed = keyring.evm().sign(own, new byte[32]);
        awaitTurns(2);

        turn();
        await(signed);
        assertThat(revealed.toCompletableFuture()).isNotDone();
        turn();
        await(revealed).close();
    }

    @Test
    void more_new_keys_than_may_be_made_at_a_time_are_refused_and_can_be_asked_for_again() {
        List<CompletionStage<KeyEntry>> mints = mints(8);
        awaitTurns(8);

        KeyringException refusal = refusal(keyring.generateIndependent(Optional.empty()));
        assertThat(refusal.reason()).isEqualTo(Reason.TOO_MANY_ATTEMPTS);
        assertThat(refusal.retryAfterSeconds()).isPositive();
        assertRefused(Reason.TOO_MANY_ATTEMPTS, keyring.importSecret(secret("01".repeat(32)), Optional.empty()));
        assertThat(metric("walletd.keyring.mints.refused")).isEqualTo(2);

        IntStream.range(0, 8).forEach(i -> turn());
        mints.forEach(KeyringFixture::await);
        held = false;
        await(keyring.generateIndependent(Optional.empty()));
        assertThat(keyring.list()).hasSize(10);
    }

    @Test
    void a_key_whose_caller_has_left_before_its_turn_is_not_made() {
        AtomicBoolean left = new AtomicBoolean();
        CompletionStage<KeyEntry> abandoned = keyring.generateStandard(Optional.empty(), left::get);
        awaitTurns(1);
        left.set(true);
        turn();

        assertRefused(Reason.ABANDONED, abandoned);
        assertThat(keyring.list()).hasSize(1);
        assertThat(datadir.resolve("wallets/imported").toFile().list()).hasSize(1);
        assertThat(metric("walletd.keyring.mints.abandoned")).isEqualTo(1);
        assertThat(fixture.metrics.get("walletd.keyring.mints").gauge().value()).isZero();
    }

    @Test
    void what_nobody_waits_for_begins_only_when_nothing_else_runs_or_waits() {
        List<String> order = new ArrayList<>();
        Stretching stretching = new Stretching(turns::add);
        Runnable inside = () -> stretching.whenQuiet(Runnable::run).execute(() -> order.add("ahead"));
        stretching.of(Urgency.SEAL).execute(() -> {
            inside.run();
            order.add("first");
        });
        stretching.of(Urgency.SEAL).execute(() -> order.add("second"));

        turn();
        assertThat(order).containsExactly("first");
        turn();
        assertThat(order).containsExactly("first", "second", "ahead");
    }

    @Test
    void what_nobody_waits_for_is_left_out_in_silence_when_the_background_takes_nothing_any_more() {
        Stretching stretching = new Stretching(Runnable::run);
        Executor ended = work -> {
            throw new RejectedExecutionException("shut down");
        };

        assertThatCode(() -> stretching.whenQuiet(ended).execute(() -> {})).doesNotThrowAnyException();
        assertThatCode(() -> stretching
                        .of(Stretching.Urgency.SPEND)
                        .execute(() -> stretching.whenQuiet(ended).execute(() -> {})))
                .doesNotThrowAnyException();
    }

    @Test
    void a_computation_that_the_threads_refuse_is_told_to_whoever_asked_and_does_not_stay() {
        List<String> order = new ArrayList<>();
        AtomicBoolean refusing = new AtomicBoolean(true);
        Stretching stretching = new Stretching(work -> {
            if (refusing.get()) {
                throw new RejectedExecutionException("full");
            }
            turns.add(work);
        });
        assertThatThrownBy(() -> stretching.of(Urgency.SPEND).execute(() -> order.add("refused")))
                .isInstanceOf(RejectedExecutionException.class);
        refusing.set(false);
        stretching.of(Urgency.SEAL).execute(() -> order.add("taken"));
        turn();
        assertThat(order).containsExactly("taken");
    }
}
