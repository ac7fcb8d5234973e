package org.chainwalletd.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.sun.management.OperatingSystemMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.coins.CreditBook;
import org.chainwalletd.coins.LedgerBook;
import org.chainwalletd.coins.LedgerReads;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.follow.Book;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.SpendingBook;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.LedgerChange;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.store.books.OwnCoin;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;

/**
 * What following costs: catching up with all books against fetching, parsing and dropping the same blocks from the same node, and the bytes
 * that this writes for each own transaction; the same with 100,000 owned addresses against 100; and the balances of 100,000 covered addresses with their answer's bytes against writing these alone.
 */
public final class FollowBench {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final int PAIRS = 5;
    private static final int MANY = 100_000;
    private static final int FEW = 100;
    /** Blocks and transactions that the follower reads at a time. */
    private static final int BLOCKS_AT_ONCE = 8;

    private static final int BODIES_AT_ONCE = 2;

    private final Path folder;
    private final Devnet node;
    private final int blocks;
    private final List<Address> addresses =
            IntStream.range(0, MANY).mapToObj(FollowBench::address).toList();
    private int runs;

    private FollowBench(Path folder, Devnet node, int blocks) {
        this.folder = folder;
        this.node = node;
        this.blocks = blocks;
    }

    /** Arguments: how many blocks are caught up with (6,000; over 1,500 the ratio has the start in it), how many pairs of runs (5). */
    public static void main(String[] words) throws Exception {
        int blocks = words.length > 0 ? Integer.parseInt(words[0]) : 6_000;
        int pairs = words.length > 1 ? Integer.parseInt(words[1]) : PAIRS;
        try (Devnet node = Devnet.start(DevnetConfig.onDemand(PROFILE))) {
            FollowBench bench = new FollowBench(Files.createTempDirectory("follow-bench"), node, blocks);
            bench.prepare();
            bench.catchingUp(pairs);
            bench.written();
            bench.balances(pairs);
        }
        System.exit(0);
    }

    private static Address address(int number) {
        return Address.of(
                Hash256.sha256(ByteBuffer.allocate(4).putInt(number).array()).toArray());
    }

    private static List<Book<?, ?>> books() {
        LedgerBook ledger = new LedgerBook();
        HtlcTable htlcs = new HtlcTable(page -> ledger.table().view(page)::isWatched);
        return List.of(
                ledger,
                new HtlcBook(PROFILE, htlcs),
                new CreditBook(PROFILE, new CreditTable(page -> ledger.table().view(page)::isWatched)),
                new SpendingBook(
                        PROFILE,
                        new SpendingTable(page ->
                                new SpendingTable.View(ledger.table().view(page)::isWatched, htlcs.view(page)::has))));
    }

    /** Two folders whose followers stand at the first tip; then the blocks that are caught up with, with a payment in each. */
    private void prepare() {
        prepare("few", addresses.subList(0, FEW));
        prepare("many", addresses);
        for (int i = 0; i < blocks; i++) {
            node.faucet(addresses.get(i % FEW), Amount.of(10_000 + i));
            node.mine(1);
        }
    }

    private void prepare(String name, List<Address> watched) {
        try (FollowRig rig = new FollowRig(folder.resolve(name), books(), node.uri())) {
            rig.awaitTip(node.tip().id());
            Await.result(new LedgerBooks(rig.books()).watch(watched, true, 0));
        }
    }

    /**
     * Each block has one own transaction; the log and what is moved from it into the file count both. Then the same by how many share a commit,
     * which catching up decides by what comes in 50 ms: some 75 to 100 on a quiet machine. A changed page is written whole, so one own
     * transaction in a commit of its own cannot be had for 2 KB: it changes fourteen trees, and the system alone counts 4 KiB for any byte.
     */
    private void written() throws Exception {
        for (String name : List.of("few", "many")) {
            Path copy = copied(name);
            OptionalLong before = DiskBytes.written();
            caughtUpIn(copy);
            System.out.println("books, own transactions, " + name + " addresses (goal 2 KB): "
                    + DiskBytes.each(before, DiskBytes.written(), blocks));
        }
        for (int together : new int[] {300, 75, 10, 1}) {
            new BooksBytes(Files.createDirectories(folder.resolve("together-" + together)))
                    .print(together > 1 ? blocks : blocks / 10, together, together == 300);
        }
    }

    private void catchingUp(int pairs) throws Exception {
        Pairs floor = new Pairs();
        Pairs floorWork = new Pairs();
        Pairs size = new Pairs();
        Pairs sizeWork = new Pairs();
        Pairs.interleave(pairs, () -> caughtUp("few"), this::dropped, (ours, bare) -> {
            floor.add(blocks / ours.seconds(), blocks / bare.seconds());
            floorWork.add(ours.workMicros() / blocks, bare.workMicros() / blocks);
        });
        Pairs.interleave(pairs, () -> caughtUp("many"), () -> caughtUp("few"), (many, few) -> {
            size.add(many.seconds() * 1e6 / blocks, few.seconds() * 1e6 / blocks);
            sizeWork.add(many.workMicros() / blocks, few.workMicros() / blocks);
        });
        System.out.println(floor.line("follower, blocks/s against fetch and drop"));
        System.out.println(floorWork.line("the same, processor µs a block, node's too"));
        System.out.println(size.line("follower, 100,000 owned against 100, µs/block"));
        System.out.println(sizeWork.line("the same, processor µs a block, node's too"));
    }

    /**
     * What something took.
     *
     * @param workMicros processor time of this program, which on a busy machine tells more than the clock
     */
    private record Effort(double seconds, double workMicros) {
        static Effort of(Timed timed) throws IOException {
            OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            long work = system.getProcessCpuTime();
            long began = System.nanoTime();
            timed.run();
            return new Effort((System.nanoTime() - began) / 1e9, (system.getProcessCpuTime() - work) / 1e3);
        }

        double micros() {
            return seconds * 1e6;
        }
    }

    private Effort caughtUp(String name) throws IOException {
        return caughtUpIn(copied(name));
    }

    private Path copied(String name) throws IOException {
        Path copy = folder.resolve("run-" + runs++);
        Files.createDirectories(copy);
        try (var files = Files.list(folder.resolve(name))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private Effort caughtUpIn(Path books) throws IOException {
        try (FollowRig rig = new FollowRig(books, books(), node.uri())) {
            return Effort.of(() -> rig.awaitTip(node.tip().id()));
        }
    }

    private Effort dropped() throws IOException {
        try (FollowRig rig = new FollowRig(folder.resolve("floor-" + runs++), List.of(), node.uri())) {
            rig.awaitTip(node.tip().id());
            NodeClient client = rig.client();
            ExecutorService executor = rig.executor();
            long top = node.tip().height();
            AtomicLong bytes = new AtomicLong();
            List<Long> heights =
                    LongStream.rangeClosed(top - blocks + 1, top).boxed().toList();
            return Effort.of(() -> Await.result(
                    Bounded.each(heights, BLOCKS_AT_ONCE, height -> fetch(client, height, bytes, executor), executor)));
        }
    }

    private static CompletionStage<Boolean> fetch(
            NodeClient client, long height, AtomicLong bytes, ExecutorService executor) {
        return client.blockAt(height)
                .thenComposeAsync(
                        block -> Bounded.each(
                                block.orElseThrow().transactions(), BODIES_AT_ONCE, client::transaction, executor),
                        executor)
                .thenApplyAsync(
                        found -> {
                            found.forEach(tx -> bytes.addAndGet(TransactionCodec.decode(
                                            tx.orElseThrow().bytes().toArray())
                                    .outputs()
                                    .size()));
                            return true;
                        },
                        executor);
    }

    private void balances(int pairs) throws Exception {
        try (FollowRig rig = new FollowRig(folder.resolve("many"), books(), node.uri())) {
            rig.awaitTip(node.tip().id());
            LedgerBooks books = new LedgerBooks(rig.books());
            BlockPlace tip = rig.follower().tip().orElseThrow().place();
            LedgerTable table = new LedgerTable();
            Await.result(rig.books().write(session -> {
                coins(tip.height()).forEach(coin -> table.write(session.head(), new LedgerChange.Created(coin)));
                return null;
            }));
            LedgerReads reads = new LedgerReads(
                    rig.client(), new CoinLedger(books, rig.follower(), rig.executor()), rig.executor());
            List<Amount> known = balances(reads);
            Pairs pair = new Pairs();
            Pairs work = new Pairs();
            Pairs.interleave(
                    pairs,
                    () -> {
                        // Each at a tip of its own: what was read at the one before is not the answer.
                        node.faucet(addresses.get(0), Amount.of(10_000));
                        node.mine(1);
                        rig.awaitTip(node.tip().id());
                        return Effort.of(() -> write(balances(reads)));
                    },
                    () -> Effort.of(() -> write(known)),
                    (ours, bare) -> {
                        pair.add(ours.micros(), bare.micros());
                        work.add(ours.workMicros(), bare.workMicros());
                    });
            System.out.println(pair.line("balances of 100,000 covered addresses, µs"));
            System.out.println(work.line("the same, processor µs"));
        }
    }

    private List<OwnCoin> coins(long height) {
        List<OwnCoin> coins = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Outpoint outpoint = new Outpoint(Hash256.sha256(addresses.get(i).toArray()), 0);
            coins.add(new OwnCoin(outpoint, addresses.get(i), Amount.of(1_000 + i), height, false));
        }
        return coins;
    }

    private List<Amount> balances(NodeClient reads) {
        CompletableFuture<List<Amount>> found = reads.balances(addresses).toCompletableFuture();
        return found.join();
    }

    /** Something to be timed. */
    private interface Timed {
        void run() throws IOException;
    }

    private void write(List<Amount> balances) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartArray();
            for (int i = 0; i < MANY; i++) {
                json.writeStartObject();
                json.writeStringField("address", addresses.get(i).hex());
                json.writeNullField("label");
                json.writeBooleanField("imported", true);
                json.writeNumberField("balance", balances.get(i).toBigInteger());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }
}
