package org.chainwalletd.store;

import static org.chainwalletd.store.StoreSample.done;

import java.util.Optional;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.testkit.Copies;

/** Sample rows of the swap journal; their content is opaque to the store. */
public final class SwapSample {
    static final long BEGUN = 1_800_000_000L;

    private SwapSample() {}

    public static SwapEntry entry(int n, String status, boolean watched) {
        return new SwapEntry(
                0,
                "swap-" + n,
                0,
                "pool-" + n,
                StoreSample.hash(n),
                status,
                watched,
                Bytes.wrap(new byte[] {1, (byte) n}),
                BEGUN + n);
    }

    public static SwapEntry next(SwapEntry entry, String status) {
        return Copies.with(
                entry,
                "version",
                entry.version() + 1,
                "status",
                status,
                "content",
                Bytes.wrap(new byte[] {2}),
                "updatedAt",
                entry.updatedAt() + 10);
    }

    public static void write(Store store) {
        done(store.swaps().add(entry(1, "quoted", true)));
        SwapEntry second = done(store.swaps().add(entry(2, "quoted", true))).orElseThrow();
        done(store.swaps().replace(next(second, "claiming")));
        done(store.swaps().add(entry(3, "expired", false)));
        done(store.scans().move("locks", 12_345));
    }

    public static String read(Store store) {
        return done(store.swaps().page(Optional.empty(), Long.MAX_VALUE, 99)).stream()
                .map(entry -> entry + "\n")
                .collect(Collectors.joining());
    }

    public static String scans(Store store) {
        return done(store.scans().of("locks")).stream()
                .mapToObj(block -> "locks block=" + block + "\n")
                .collect(Collectors.joining());
    }
}
