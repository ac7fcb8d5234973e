package org.chainwalletd.wait;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.push.PushFeed.WatchReason;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waits with the same question read the books once. */
@Timeout(120)
class CreditWaitsTest {
    private static final CompletableFuture<Void> STAYS = new CompletableFuture<>();
    private static final Duration LONG = Duration.ofSeconds(500);
    private static final Address ONE = address(1);
    private static final Address TWO = address(2);

    @TempDir
    Path folder;

    private final ActorTestKit kit = ActorTestKit.create();
    private final CreditTable table = new CreditTable(page -> address -> true);
    private final List<ActorRef<FollowEvent>> followers = new CopyOnWriteArrayList<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final Map<String, Integer> watched = new ConcurrentHashMap<>();
    private volatile long height = -1;
    private Books books;
    private CreditFeed feed;
    private Waits waits;

    @BeforeEach
    void start() {
        books = Books.open(folder, List.of(table));
        // Called once for each answer of the feed.
        feed = new CreditFeed(books, () -> {
            reads.incrementAndGet();
            return Optional.of(new BlockPlace(height, id((int) height)));
        });
        NodeClient nodes =
                Stub.of(NodeClient.class, call -> CompletableFuture.failedFuture(new IllegalStateException("no node")));
        waits = Waits.start(
                Spawners.of(kit),
                setup(nodes),
                new AddressWatch() {
                    @Override
                    public void want(WatchReason reason, Address address) {
                        watched.merge(reason + " " + address, 1, Integer::sum);
                    }

                    @Override
                    public void unwant(WatchReason reason, Address address) {
                        watched.computeIfPresent(reason + " " + address, (key, count) -> count > 1 ? count - 1 : null);
                    }
                },
                feed,
                (txId, tx) -> {},
                new SimpleMeterRegistry());
        Await.until("all follow", () -> followers.size() == 3);
        block();
    }

    private WaitSetup setup(NodeClient nodes) {
        return new WaitSetup(
                ChainProfile.of("chain"),
                nodes,
                List.of(nodes),
                List::of,
                1,
                address -> false,
                Optional::empty,
                (txId, place) -> CompletableFuture.completedFuture(false),
                followers::add,
                Runnable::run,
                () -> System.nanoTime() / 1_000_000);
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        books.close();
    }

    private CompletableFuture<CreditFeed.Batch> wait(CreditCursor cursor) {
        return waits.forCredits(cursor, false, 100, LONG, STAYS).toCompletableFuture();
    }

    private CreditCursor now(Optional<Address> address) {
        return Await.result(feed.now(0, address));
    }

    /** Adds a block that pays these addresses, without publishing it. */
    private void block(Address... paid) {
        long next = height + 1;
        Hash256 id = id((int) next);
        Await.result(books.write(session -> {
            BlockRows.put(session.head(), new BlockRow(next, id, id, next, id, true));
            for (int i = 0; i < paid.length; i++) {
                table.write(
                        session.head(),
                        new Credit(
                                new Outpoint(id, i),
                                paid[i],
                                Amount.of(500),
                                new BlockPlace(next, id),
                                i,
                                false,
                                false,
                                false,
                                Optional.empty()));
            }
            return null;
        }));
        height = next;
    }

    private void tell() {
        FollowEvent event =
                new FollowEvent.Advanced(height, new FollowedTip(new BlockPlace(height, id((int) height)), 0));
        followers.forEach(follower -> follower.tell(event));
    }

    private void awaitReads(int number) {
        Await.until("the feed was read " + number + " times and not " + reads, () -> reads.get() >= number);
    }

    @Test
    void a_thousand_readers_of_two_addresses_cost_two_reads_a_block() throws Exception {
        CreditCursor one = now(Optional.of(ONE));
        CreditCursor two = now(Optional.of(TWO));
        reads.set(0);
        List<CompletableFuture<CreditFeed.Batch>> ofOne = new ArrayList<>();
        List<CompletableFuture<CreditFeed.Batch>> ofTwo = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            ofOne.add(wait(one));
            ofTwo.add(wait(two));
        }
        awaitReads(2);
        block();
        tell();
        awaitReads(4);
        block(ONE);
        tell();

        for (CompletableFuture<CreditFeed.Batch> answer : ofOne) {
            assertThat(Await.outcome(answer).events()).hasSize(1);
        }
        awaitReads(6);
        assertThat(ofTwo).noneMatch(CompletableFuture::isDone);
        assertThat(reads).hasValue(6);
    }

    @Test
    void readers_who_come_from_different_places_stand_together_when_they_have_heard_everything() throws Exception {
        CreditCursor before = now(Optional.empty());
        block(ONE);
        CreditCursor after = now(Optional.empty());
        block();
        CreditCursor behind = Await.outcome(wait(before)).cursor();
        reads.set(0);
        CompletableFuture<CreditFeed.Batch> first = wait(behind);
        CompletableFuture<CreditFeed.Batch> second = wait(after);
        CompletableFuture<CreditFeed.Batch> third = wait(after);
        awaitReads(1);
        int standing = reads.get();
        assertThat(standing).isLessThanOrEqualTo(2);
        block(TWO);
        tell();

        for (CompletableFuture<CreditFeed.Batch> answer : List.of(first, second, third)) {
            assertThat(Await.outcome(answer).events()).hasSize(1);
        }
    }

    @Test
    void payments_of_blocks_that_were_passed_are_told_to_those_who_waited() throws Exception {
        tell();
        CompletableFuture<PaymentOutcome> one =
                waits.forPayment(ONE, Amount.of(900), LONG, STAYS).toCompletableFuture();
        CompletableFuture<PaymentOutcome> more =
                waits.forPayment(ONE, Amount.of(1_001), LONG, STAYS).toCompletableFuture();
        CompletableFuture<PaymentOutcome> other =
                waits.forPayment(TWO, Amount.of(1), LONG, STAYS).toCompletableFuture();
        block(ONE);
        block(ONE, ONE);
        block();
        tell();

        PaymentOutcome.Received received = (PaymentOutcome.Received) Await.outcome(one);
        assertThat(received.txId()).contains(id((int) height - 1));
        assertThat(received.amount()).isEqualTo(Amount.of(1_000));
        assertThat(received.confirmations()).isEqualTo(2);
        block(TWO);
        tell();
        assertThat(((PaymentOutcome.Received) Await.outcome(other)).txId()).contains(id((int) height));
        assertThat(more).isNotDone();
    }

    @Test
    void passed_blocks_are_told_to_nobody_who_began_to_wait_after_them() {
        NodeClient nodes = Stub.of(NodeClient.class, call -> {
            throw new IllegalStateException("no node");
        });
        OpenPaymentWaits open = new OpenPaymentWaits(
                setup(nodes),
                Stub.of(AddressWatch.class, call -> null),
                address -> {},
                new WaitMetrics(new SimpleMeterRegistry(), "payment"));
        PaymentWait before = new PaymentWait(ONE, Amount.of(1), 0, 1_000);
        PaymentWait later = new PaymentWait(ONE, Amount.of(1), 0, 1_000);
        assertThat(open.jumpTo(10)).isEmpty();
        open.begin(before);
        assertThat(open.jumpTo(12)).hasValue(11);
        OpenPaymentWaits.SkippedBlocks passed = open.skipped(11, 100).get(0);
        open.begin(later);
        // The first look-up of both ends between the skipped blocks and the answer of the books.
        open.baselineOver(before);
        open.baselineOver(later);

        open.paid(passed, List.of(new CreditFeed.Confirmed(ONE, id(5), Amount.of(7), new BlockPlace(11, id(11)))));

        assertThat(passed.from()).isEqualTo(11);
        assertThat(((PaymentOutcome.Received) Await.outcome(before.reply)).confirmations())
                .isEqualTo(2);
        assertThat(later.reply).isNotDone();
    }

    @Test
    void blocks_that_replace_others_are_passed_from_where_the_chain_parts() {
        NodeClient nodes = Stub.of(NodeClient.class, call -> {
            throw new IllegalStateException("no node");
        });
        OpenPaymentWaits open = new OpenPaymentWaits(
                setup(nodes),
                Stub.of(AddressWatch.class, call -> null),
                address -> {},
                new WaitMetrics(new SimpleMeterRegistry(), "payment"));
        open.jumpTo(10);
        for (int i = 1; i <= 5; i++) {
            open.begin(new PaymentWait(address(i), Amount.of(1), 0, 1_000));
        }
        open.disconnected(new BlockPlace(10, id(10)));
        open.disconnected(new BlockPlace(9, id(9)));

        assertThat(open.jumpTo(11)).hasValue(9);
        List<OpenPaymentWaits.SkippedBlocks> passed = open.skipped(9, 2);

        assertThat(passed).extracting(OpenPaymentWaits.SkippedBlocks::from).containsExactly(9L, 9L, 9L);
        assertThat(passed).extracting(OpenPaymentWaits.SkippedBlocks::to).containsOnly(11L);
        assertThat(passed.stream().flatMap(part -> part.addresses().stream()))
                .containsExactlyInAnyOrder(address(1), address(2), address(3), address(4), address(5));
        assertThat(open.jumpTo(11)).isEmpty();
        assertThat(open.skipped(12, 2)).isEmpty();
    }

    @Test
    void the_address_of_who_waits_is_watched_as_long_as_somebody_does() {
        CreditCursor cursor = now(Optional.of(ONE));
        CompletableFuture<Void> leaves = new CompletableFuture<>();
        waits.forCredits(cursor, false, 10, LONG, leaves);
        waits.forPaymentSince(cursor, Amount.of(1), LONG, leaves);
        Await.until(
                "the feed and the wait are watched", () -> watched.equals(Map.of("FEED " + ONE, 1, "WAIT " + ONE, 1)));

        leaves.complete(null);

        Await.until("nothing is watched any more", watched::isEmpty);
    }

    private static Address address(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) number;
        return Address.of(bytes);
    }

    private static Hash256 id(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) (number + 1);
        return Hash256.of(bytes);
    }
}
