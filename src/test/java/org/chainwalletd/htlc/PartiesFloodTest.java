package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.OnBooks;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Open locks that a third party makes to our address, each with another party of its own, or in our name. */
class PartiesFloodTest extends OnBooks {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final PublicKey OURS = new Party(0x21).key;
    private static final PublicKey CUSTOMER = new Party(0x22).key;
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final long NEVER = 1_000_000;
    /** As many as are watched. */
    private static final int MANY = 5_000;
    /** As many as are read at once. */
    private static final int PAGE = 1_000;

    private final HtlcTable table = new HtlcTable(page -> address -> true);
    private final BlockingQueue<List<Address>> watched = new LinkedBlockingQueue<>();
    private final AtomicInteger looks = new AtomicInteger();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create(ManualTime.config());

    @AutoClose
    private final LogCapture log = LogCapture.ofPackage(HtlcIndex.class);

    private final ManualTime time = ManualTime.get(kit.system());
    private Sightings sightings;

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(table);
    }

    private static HtlcTable.Locked lock(
            int number, PublicKey sender, PublicKey receiver, long timeout, long amount, long height) {
        return new HtlcTable.Locked(
                new Outpoint(Hash256.ZERO, number),
                new HtlcParams(sender, receiver, Hash256.ZERO, timeout),
                PROFILE.addressOf(sender),
                PROFILE.addressOf(receiver),
                Amount.of(amount),
                sender.equals(OURS) ? HtlcTable.SENDER : HtlcTable.RECEIVER,
                height);
    }

    private static HtlcTable.Locked ofCustomer(int number) {
        return lock(number, OURS, CUSTOMER, NEVER, 500_000, number);
    }

    private static HtlcTable.Locked overdue(int number) {
        return lock(number, OURS, CUSTOMER, 0, 1_000, number);
    }

    private static PublicKey stranger(int number) {
        return PublicKey.of(ByteBuffer.allocate(PublicKey.LENGTH).putInt(number).array());
    }

    /** Writes locks of strangers to our address; their numbers begin with 2. */
    private void flood(long amount, boolean inBlocks) {
        write(head -> {
            for (int number = 2; number < 2 + MANY; number++) {
                table.write(
                        head,
                        lock(number, stranger(number), OURS, NEVER, amount, inBlocks ? number : HtlcTable.NOWHERE));
            }
        });
    }

    private void write(HtlcTable.Locked lock) {
        write(head -> table.write(head, lock));
    }

    private void start() {
        sightings = new Sightings(
                file,
                Stub.of(IntentStore.class, call -> CompletableFuture.completedFuture(List.of())),
                null,
                Runnable::run);
        FollowedTip tip = new FollowedTip(new BlockPlace(2L * MANY, Hash256.ZERO), 0);
        kit.spawn(HtlcIndex.create(new HtlcWatch(
                PROFILE,
                file,
                () -> {
                    looks.incrementAndGet();
                    return Optional.of(tip);
                },
                sightings,
                new HtlcWatch.LostLocks(
                        Stub.of(NodeClient.class, call -> CompletableFuture.completedFuture(Optional.empty())),
                        sightings,
                        Runnable::run),
                new HtlcSpends(PROFILE, null, null, null, sightings, HtlcSpends.HtlcOwners.NONE, Runnable::run),
                new HtlcWatch.HtlcMetrics(meters),
                subscriber -> {},
                watched::add,
                false)));
    }

    private void awaitFirstLook() {
        Await.until("the first look", () -> {
            time.timePasses(LOOK);
            return looks.get() > 0;
        });
    }

    /** Reports a change to the index, after which nothing else is reported. */
    private void change() {
        Await.result(sightings.lose(new Outpoint(Hash256.ZERO, 0)));
    }

    private double overdue() {
        return meters.get("walletd.htlc.overdue").gauge().value();
    }

    private List<Address> parties() {
        Await.until("the parties are known", () -> !watched.isEmpty());
        return watched.remove();
    }

    @Test
    void many_small_locks_hide_neither_party_of_a_larger_one() {
        write(ofCustomer(1));
        flood(300, true);
        start();

        awaitFirstLook();

        assertThat(parties()).hasSize(MANY).startsWith(PROFILE.addressOf(OURS), PROFILE.addressOf(CUSTOMER));
    }

    @Test
    void locks_in_no_block_hide_no_party_of_one_in_a_block_whatever_amounts_they_show() {
        write(ofCustomer(1));
        flood(900_000_000, false);
        start();

        awaitFirstLook();

        assertThat(parties()).startsWith(PROFILE.addressOf(OURS), PROFILE.addressOf(CUSTOMER));
    }

    @Test
    void each_look_finds_the_overdue_locks_however_many_locks_others_make() {
        write(overdue(1));
        flood(300, true);
        start();

        awaitFirstLook();

        Await.until("all are counted", () -> overdue() == 1);
    }

    @Test
    void a_change_in_the_part_of_a_round_that_is_already_read_is_found_without_another_change() {
        write(head -> {
            for (int number = 2; number < 2 + PAGE; number++) {
                table.write(head, overdue(number));
            }
        });
        start();
        awaitFirstLook();
        Await.until("the first page is read", () -> !log.messages().isEmpty());

        write(overdue(1));
        change();

        Await.until("it is counted", () -> {
            time.timePasses(LOOK);
            return overdue() == 1 + PAGE;
        });
    }

    @Test
    void the_next_round_over_many_locks_waits_as_many_looks_as_they_are_pages() {
        write(ofCustomer(1));
        flood(300, true);
        start();
        awaitFirstLook();
        parties();
        int before = looks.get();

        write(lock(2 + MANY, OURS, stranger(1), NEVER, 600_000, 2 + MANY));
        change();

        Await.until("the party of the new lock is watched", () -> {
            time.timePasses(LOOK);
            return !watched.isEmpty();
        });
        assertThat(looks.get() - before).isGreaterThan(MANY / PAGE);
    }
}
