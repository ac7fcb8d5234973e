package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.store.books.CreditEvent.Kind;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a mempool credit is reported, and when it is reported as removed (following.md, section 3). */
@Timeout(120)
class SeenCreditsTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final Address OURS = PROFILE.addressOf(key(1));

    @TempDir
    Path folder;

    private final ActorTestKit kit = ActorTestKit.create();
    private final CreditTable table = new CreditTable(page -> OURS::equals);
    private final CreditBook book = new CreditBook(PROFILE, table);
    private final List<ActorRef<FollowEvent>> followers = new CopyOnWriteArrayList<>();
    private final Map<Integer, Set<Hash256>> known = new ConcurrentHashMap<>();
    private final Set<Integer> silent = ConcurrentHashMap.newKeySet();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicInteger changes = new AtomicInteger();
    private Books books;
    private CreditFeed feed;
    private ActorRef<SeenCredits.Command> seen;
    private int height;
    private CreditCursor start;

    @BeforeEach
    void open() {
        books = Books.open(folder, List.of(new LedgerTable(), table));
        feed = new CreditFeed(books, () -> Optional.of(new BlockPlace(height, Hash256.ZERO)));
        start = Await.result(feed.now(0, Optional.empty()));
        begin();
    }

    @AfterEach
    void close() {
        kit.shutdownTestKit();
        books.close();
    }

    private void begin() {
        followers.clear();
        seen = kit.spawn(SeenCredits.create(new SeenCredits.Setup(
                books, book, List.of(node(0), node(1)), followers::add, changes::incrementAndGet, Runnable::run)));
        Await.until("it follows", () -> followers.size() == 1);
    }

    private NodeClient node(int number) {
        known.put(number, ConcurrentHashMap.newKeySet());
        return Stub.of(NodeClient.class, call -> {
            if (!call.name().equals("transaction")) {
                throw new UnsupportedOperationException(call.name());
            }
            asked.add(number + " " + call.arguments()[0]);
            if (silent.contains(number)) {
                return CompletableFuture.failedFuture(new NodeException.Rejected(-1, "busy"));
            }
            Hash256 txId = (Hash256) call.arguments()[0];
            return CompletableFuture.completedFuture(
                    known.get(number).contains(txId)
                            ? Optional.of(new NodeClient.NodeTransaction(txId, Bytes.EMPTY, true, null, null))
                            : Optional.empty());
        });
    }

    private List<Kind> told() {
        return Await.result(feed.read(start, true, 100)).events().stream()
                .map(CreditEvent::kind)
                .toList();
    }

    private void awaitTold(Kind... kinds) {
        Await.until("the feed tells " + List.of(kinds), () -> told().equals(List.of(kinds)));
    }

    private Hash256 see(Transaction tx) {
        return see(tx, Kind.SEEN);
    }

    private Hash256 see(Transaction tx, Kind... toldThen) {
        Hash256 txId = TransactionCodec.txId(PROFILE, tx);
        known.values().forEach(pool -> pool.add(txId));
        int before = changes.get();
        seen.tell(new SeenCredits.Seen(txId, tx));
        // The feed contains it from the commit on; the actor asks for it from the answer of that commit on.
        Await.until("it is watched", () -> changes.get() > before);
        awaitTold(toldThen);
        return txId;
    }

    /** Adds a new tip and waits for all requests that it causes. */
    private void tip(Hash256 pending, Transaction... transactions) {
        int before = asked.size();
        connect(transactions);
        Await.until("both nodes are asked for " + pending, () -> asked.size() >= before + 2);
    }

    private void connect(Transaction... transactions) {
        List<ChainTransaction> mined = new ArrayList<>();
        for (Transaction tx : transactions) {
            mined.add(new ChainTransaction(TransactionCodec.txId(PROFILE, tx), Optional.of(tx), false));
        }
        BlockHeader header =
                new BlockHeader(1, ++height, Hash256.ZERO, height, Hash256.ZERO, 0, Hash256.ZERO, Hash256.ZERO);
        followers.forEach(
                follower -> follower.tell(new FollowEvent.Connected(new ChainBlock(header, header.id(), mined))));
    }

    @Test
    void a_transaction_that_all_nodes_miss_at_three_tips_running_is_removed() {
        Hash256 txId = see(payment(1));
        known.values().forEach(Set::clear);

        tip(txId);
        tip(txId);
        assertThat(told()).containsExactly(Kind.SEEN);
        tip(txId);

        awaitTold(Kind.SEEN, Kind.REMOVED);
        known.values().forEach(pool -> pool.add(txId));
        seen.tell(new SeenCredits.Seen(txId, payment(1)));
        awaitTold(Kind.SEEN, Kind.REMOVED, Kind.SEEN);
    }

    @Test
    void one_node_that_has_it_keeps_it_and_the_count_begins_again() {
        Hash256 txId = see(payment(1));
        known.get(0).clear();
        known.get(1).clear();
        tip(txId);
        tip(txId);
        known.get(1).add(txId);
        tip(txId);
        known.get(1).clear();
        tip(txId);
        tip(txId);

        assertThat(told()).containsExactly(Kind.SEEN);
        tip(txId);
        awaitTold(Kind.SEEN, Kind.REMOVED);
    }

    @Test
    void nodes_that_do_not_answer_do_not_count() {
        Hash256 txId = see(payment(1));
        known.values().forEach(Set::clear);
        silent.addAll(List.of(0, 1));
        for (int i = 0; i < 4; i++) {
            tip(txId);
        }
        assertThat(told()).containsExactly(Kind.SEEN);

        silent.remove(1);
        for (int i = 0; i < 3; i++) {
            tip(txId);
        }
        awaitTold(Kind.SEEN, Kind.REMOVED);
    }

    @Test
    void a_block_with_another_transaction_that_spends_an_input_removes_it_at_once() {
        see(payment(1));

        connect(stranger(1));

        awaitTold(Kind.SEEN, Kind.REMOVED);
    }

    @Test
    void what_was_pending_is_taken_up_after_a_restart() {
        Hash256 txId = see(payment(1));
        kit.stop(seen);
        begin();
        for (int i = 0; i < 3; i++) {
            tip(txId);
        }

        awaitTold(Kind.SEEN, Kind.REMOVED);
    }

    @Test
    void a_tip_that_comes_before_it_has_read_what_was_pending_counts() {
        Hash256 txId = see(payment(1));
        kit.stop(seen);
        CountDownLatch read = new CountDownLatch(1);
        books.read(session -> {
            Await.opened(read);
            return null;
        });
        begin();
        int before = asked.size();
        connect();
        read.countDown();

        Await.until("both nodes are asked for " + txId, () -> asked.size() >= before + 2);
    }

    /** A block that the follower skips removes transactions without an event. */
    @Test
    void after_a_move_of_many_blocks_at_once_it_asks_only_for_what_the_books_have_as_pending() {
        Hash256 mined = see(payment(1));
        Hash256 pending = see(payment(2), Kind.SEEN, Kind.SEEN);
        Await.result(books.write(session -> {
            CreditTable.lose(session.head(), mined);
            return null;
        }));
        asked.clear();
        FollowedTip tip = new FollowedTip(new BlockPlace(++height, Hash256.ZERO), 0);
        followers.forEach(follower -> follower.tell(new FollowEvent.Advanced(0, tip)));

        Await.until("both nodes are asked", () -> asked.size() >= 2);
        tip(pending);
        assertThat(asked).noneMatch(question -> question.contains(mined.toString()));
    }

    @Test
    void what_pays_nobody_of_us_is_not_told() {
        Transaction other = stranger(7);
        seen.tell(new SeenCredits.Seen(TransactionCodec.txId(PROFILE, other), other));
        see(payment(2));

        assertThat(told()).hasSize(1);
    }

    private static Transaction payment(int spends) {
        return spending(spends, OURS);
    }

    private static Transaction stranger(int spends) {
        return spending(spends, PROFILE.addressOf(key(9)));
    }

    private static Transaction spending(int number, Address to) {
        byte[] id = new byte[32];
        id[0] = (byte) number;
        return new Transaction(
                List.of(new Outpoint(Hash256.of(id), 0)),
                List.of(TxOutput.toAddress(to, Amount.of(500))),
                List.of(Witness.plain(key(5), new byte[64])));
    }

    private static PublicKey key(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) number;
        return PublicKey.of(bytes);
    }
}
