package org.chainwalletd.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.chainwalletd.bench.DiskBytes;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.sql.SqliteStore;

/**
 * What the store does for transfers with one input and two outputs, from the intent to the burial, 64 at once, blocks of 500: rate, bytes
 * written, and heap that stays for each. {@code StoreBench [transfers] [folder]}
 */
public final class StoreBench {
    private static final int AT_ONCE = 64;
    private static final int BLOCK = 500;
    private static final int DEPTH = 20;
    private static final int TRANSACTION_BYTES = 227;

    private final Store store;
    private final Random random = new Random(1);
    private final Semaphore free = new Semaphore(AT_ONCE);
    private final Deque<List<Hash256>> unburied = new ArrayDeque<>();
    private long number;

    private StoreBench(Store store) {
        this.store = store;
    }

    public static void main(String[] args) throws Exception {
        int transfers = args.length > 0 ? Integer.parseInt(args[0]) : 50_000;
        Path folder = args.length > 1 ? Path.of(args[1]) : Files.createTempDirectory("store-bench");
        try (Store store = SqliteStore.open(folder)) {
            StoreBench bench = new StoreBench(store);
            for (int fifth = 1; fifth <= 5; fifth++) {
                bench.run(transfers / 5, fifth * (transfers / 5));
            }
        }
    }

    private void run(int transfers, int total) throws IOException, InterruptedException {
        long heap = liveHeap();
        OptionalLong before = DiskBytes.written();
        long opening = 0;
        long began = System.nanoTime();
        for (int done = 0; done < transfers; done += BLOCK) {
            long blockBegan = System.nanoTime();
            List<Hash256> block = openAll(BLOCK);
            opening += System.nanoTime() - blockBegan;
            BlockPlace place = new BlockPlace(number / BLOCK, hash());
            for (Hash256 txId : block) {
                submit(store.intents().confirm(txId, IntentState.PREPARED, place, number));
            }
            settle();
            unburied.add(block);
            if (unburied.size() > DEPTH) {
                store.intents().bury(unburied.remove()).toCompletableFuture().join();
            }
        }
        long nanos = System.nanoTime() - began;
        String bytes = DiskBytes.each(before, DiskBytes.written(), transfers);
        System.out.printf(
                Locale.ROOT,
                "store, transfers up to %d  %.0f intents/s  whole lives %.0f/s  %s  %d bytes of heap stay for each%n",
                total,
                transfers * 1e9 / opening,
                transfers * 1e9 / nanos,
                bytes,
                (liveHeap() - heap) / transfers);
    }

    private List<Hash256> openAll(int count) throws InterruptedException {
        List<Hash256> opened = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Intent intent = intent();
            opened.add(intent.txId());
            submit(store.intents()
                    .open(intent, 0)
                    .thenCompose(done -> store.intents().accept(intent.txId(), Set.of(IntentState.PREPARED), number)));
        }
        settle();
        return opened;
    }

    private void submit(CompletionStage<?> stage) throws InterruptedException {
        free.acquire();
        stage.whenComplete((done, failure) -> free.release());
    }

    private void settle() throws InterruptedException {
        free.acquire(AT_ONCE);
        free.release(AT_ONCE);
    }

    private Intent intent() {
        byte[] transaction = new byte[TRANSACTION_BYTES];
        random.nextBytes(transaction);
        number++;
        return new Intent(
                hash(),
                "transfer",
                Address.of(hash().toArray()),
                Bytes.wrap(transaction),
                List.of(new Coin(new Outpoint(hash(), 0), Amount.of(10_000))),
                number,
                OptionalInt.of(1),
                Optional.of(new TokenBinding("order-" + number + "-" + Long.toHexString(random.nextLong()), hash())),
                Amount.of(1_000),
                number,
                Intent.Progress.prepared(number));
    }

    private Hash256 hash() {
        byte[] bytes = new byte[Hash256.LENGTH];
        random.nextBytes(bytes);
        return Hash256.of(bytes);
    }

    private static long liveHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
