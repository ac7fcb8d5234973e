package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sending on the account chain is background work, which stops and starts, on this daemon and on another one with the same store. */
class AccountSwitchesTest {
    private static final StoreException AWAY =
            new StoreException(StoreException.Reason.BUSY, "cannot be reached at this moment", null);

    @TempDir
    Path folder;

    @AutoClose
    private AccountRig rig;

    private final List<Keeper> keepers = new ArrayList<>();

    @BeforeEach
    void begin() {
        rig = new AccountRig(folder);
        rig.background = this::keeper;
        rig.crash();
    }

    private Background keeper(ActorTestKit kit) {
        Keeper keeper = Keeper.under(Spawners.of(kit));
        keepers.add(keeper);
        return keeper;
    }

    private Keeper keeper() {
        return keepers.get(0);
    }

    /** Denies the permission to send, so that no endpoint receives anything, as if all were unreachable. */
    private void holdBack() {
        rig.permission = () -> CompletableFuture.failedFuture(AWAY);
    }

    private void letGo() {
        rig.permission = () -> CompletableFuture.completedFuture(null);
        rig.chain.clock().advance(AccountRig.PACE.resend());
    }

    private SendRequest request(String reference) {
        return rig.request(reference, BigInteger.ONE);
    }

    private static void assertStopped(CompletionStage<?> call) {
        assertThatThrownBy(() -> done(call)).matches(Background::isStopped, "is refused");
    }

    @Test
    void while_it_is_stopped_all_is_refused_but_what_reads_the_journal() {
        keeper().start();
        rig.send("one", 7);
        keeper().stop();

        assertStopped(rig.sends.send(request("one")));
        assertStopped(rig.sends.send(request("two")));
        assertStopped(rig.sends.push("one"));
        assertStopped(rig.sends.raise("one"));
        assertStopped(rig.sends.cancel("one"));
        assertStopped(rig.sends.makeWay(rig.own));
        assertStopped(rig.sends.open(rig.own));
        assertThatThrownBy(() -> rig.sends.funds(rig.own)).matches(Background::isStopped, "is refused");
        rig.sends.pursue("one", OptionalLong.empty());
        assertThat(done(rig.sends.drain())).isNull();
        assertThat(rig.find("one").nonce()).isZero();
        assertThat(done(rig.sends.history(Long.MAX_VALUE, 10)).records())
                .extracting(SendRecord::reference)
                .containsExactly("one");

        keeper().start();
        assertThat(rig.send("two", 7).nonce()).isEqualTo(1);
    }

    @Test
    void what_is_journalled_and_held_back_leaves_in_the_next_run() {
        holdBack();
        keeper().start();
        assertThat(rig.send("one", 7).state()).isInstanceOf(SendState.Journalled.class);
        keeper().stop();
        letGo();
        assertThat(rig.chain.waiting()).isEmpty();

        keeper().start();
        rig.await("one", SendState.Sent.class);
        rig.mineAndFinish("one");
    }

    @Test
    void another_daemon_continues_with_all_that_was_journalled_and_gives_the_next_nonce() {
        AccountSends other = rig.beside(this::keeper);
        AtomicInteger swaps = new AtomicInteger();
        other.reserveFor(any -> swaps.get());
        holdBack();
        keeper().start();
        rig.send("one", 7);
        keeper().stop();
        letGo();
        keepers.get(1).start();
        rig.await("one", SendState.Sent.class);
        assertThat(done(other.send(request("two"))).nonce()).isEqualTo(1);
        assertThat(done(other.send(rig.request("one", BigInteger.valueOf(7)))).nonce())
                .isZero();
        keepers.get(1).stop();

        // The first daemon has not seen any of this.
        keeper().start();
        assertThat(done(rig.sends.open(rig.own)))
                .extracting(SendRecord::reference)
                .containsExactly("one", "two");
        assertThat(rig.send("three", 7).nonce()).isEqualTo(2);
        assertThat(rig.sends.funds(rig.own).committed()).isGreaterThan(BigInteger.valueOf(15));
        rig.chain.mine(6);
        rig.await("three", SendState.Final.class);
        assertThat(rig.find("two").state()).isInstanceOf(SendState.Final.class);
        keeper().stop();

        keepers.get(1).start();
        assertThat(done(other.open(rig.own))).isEmpty();
        assertThat(other.funds(rig.own).committed()).isZero();
        assertThat(done(other.send(request("four"))).nonce()).isEqualTo(3);
    }

    /** Uses a journal that delays the first call of this kind; the result completes when that call was made. */
    private CompletableFuture<Void> gated(Predicate<Stub.Call> kind, AtomicBoolean reached) {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        rig.restartWith(real -> Stub.of(
                AccountSendStore.class,
                call -> kind.test(call) && reached.compareAndSet(false, true)
                        ? gate.thenComposeAsync(open -> FatedJournal.made(call, real), rig.executor)
                        : call.on(real)));
        return gate;
    }

    private Keeper newest() {
        return keepers.get(keepers.size() - 1);
    }

    @Test
    void a_nonce_that_is_being_given_at_a_stop_is_not_given_and_its_caller_is_told_so() {
        AtomicBoolean reached = new AtomicBoolean();
        CompletableFuture<Void> gate = gated(call -> call.name().equals("nextNonce"), reached);
        newest().start();
        CompletionStage<SendRecord> sent = rig.sends.send(request("one"));
        Await.until("it is being made", reached::get);
        newest().stop();
        assertThat(sent.toCompletableFuture()).isNotDone();
        gate.complete(null);

        assertStopped(sent);
        assertThat(done(rig.sends.find("one"))).isEmpty();
        newest().start();
        assertThat(rig.send("two", 7).nonce()).isZero();
        assertThat(rig.send("one", 1).nonce()).isEqualTo(1);
    }

    @Test
    void a_send_that_is_being_written_at_a_stop_is_answered_and_the_next_run_waits_for_it() {
        AtomicBoolean reached = new AtomicBoolean();
        CompletableFuture<Void> gate = gated(FatedJournal::isOpening, reached);
        newest().start();
        CompletionStage<SendRecord> sent = rig.sends.send(request("one"));
        Await.until("it is being written", reached::get);
        newest().stop();
        newest().start();
        CompletionStage<SendRecord> next = rig.sends.send(request("two"));
        CompletionStage<List<SendRecord>> open = rig.sends.open(rig.own);
        assertThat(sent.toCompletableFuture()).isNotDone();
        gate.complete(null);

        assertThat(done(sent).nonce()).isZero();
        assertThat(done(open)).extracting(SendRecord::reference).contains("one");
        assertThat(done(next).nonce()).isEqualTo(1);
        rig.await("one", SendState.Sent.class);
    }

    @Test
    void a_journal_that_cannot_be_read_when_background_work_begins_is_read_again() {
        holdBack();
        keeper().start();
        rig.send("one", 7);
        AtomicInteger failures = new AtomicInteger();
        rig.restartWith(real -> Stub.of(AccountSendStore.class, call -> {
            return FatedJournal.isListing(call) && failures.incrementAndGet() > 1 && failures.get() <= 4
                    ? FatedJournal.failed(StoreException.Reason.UNAVAILABLE)
                    : call.on(real);
        }));
        letGo();
        newest().start();
        CompletionStage<List<SendRecord>> open = rig.sends.open(rig.own);
        rig.await("one", SendState.Sent.class);
        assertThat(done(open)).hasSize(1);
        assertThat(failures.get()).isGreaterThan(4);
    }

    @Test
    void a_version_that_is_being_made_at_a_stop_is_made_for_its_caller_or_not_at_all() {
        keeper().start();
        SendRecord sent = rig.send("one", 7);
        AtomicBoolean reached = new AtomicBoolean();
        CompletableFuture<Void> gate = gated(call -> call.name().equals("addVersion"), reached);
        newest().start();
        CompletionStage<SendRecord> raised = rig.sends.raise("one");
        Await.until("it is being written", reached::get);
        newest().stop();
        gate.complete(null);

        SendRecord record = done(raised);
        assertThat(record.hash()).isNotEqualTo(sent.hash());
        newest().start();
        Await.until(
                "it is sent in the next life",
                () -> rig.chain.waiting().stream()
                        .anyMatch(transaction -> transaction.hash().equals(record.hash())));
        rig.mineAndFinish("one");
        assertThat(rig.find("one").hash()).isEqualTo(record.hash());
    }

    @Test
    void what_is_no_claim_waits_until_it_is_known_what_swaps_need() {
        keeper().start();
        AtomicBoolean known = new AtomicBoolean();
        rig.sends.reserveFor(new OpenSwaps() {
            @Override
            public int needingGas(EvmAddress address) {
                return 0;
            }

            @Override
            public boolean isKnown() {
                return known.get();
            }
        });
        assertThatThrownBy(() -> rig.send("one", 7))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("journal of swaps");
        assertThatThrownBy(() -> rig.sends.funds(rig.own))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("journal of swaps");
        SendRequest claim = rig.request("claim", SendKind.CLAIM, SendValue.exactly(BigInteger.ONE), Pushing.BY_ITSELF);
        assertThat(done(rig.sends.send(claim)).nonce()).isZero();
        known.set(true);
        assertThat(rig.send("one", 7).nonce()).isEqualTo(1);
    }

    /** A daemon that was paused does not know yet that another one does the background work. */
    @Test
    void a_journal_that_refuses_a_former_keeper_keeps_it_from_sending_and_ends_nothing() {
        AtomicBoolean former = new AtomicBoolean();
        rig.restartWith(real -> Stub.of(AccountSendStore.class, call -> {
            return FatedJournal.isWrite(call) && former.get()
                    ? CompletableFuture.failedFuture(StoreException.notKeeper())
                    : call.on(real);
        }));
        newest().start();
        rig.send("one", 7);
        former.set(true);
        assertStopped(rig.sends.send(request("two")));
        assertStopped(rig.sends.raise("one"));
        rig.chain.mine();
        rig.chain.clock().advance(AccountRig.PACE.resend());
        assertThat(rig.chain.waiting()).isEmpty();
        AtomicReference<SendRecord> seen = new AtomicReference<>();
        rig.sends.onChange(seen::set);
        assertThat(rig.find("one").state()).isInstanceOf(SendState.Sent.class);
        former.set(false);
        rig.finish("one");
        assertThat(seen.get().reference()).isEqualTo("one");
        assertThat(rig.send("two", 7).nonce()).isEqualTo(1);
    }
}
