package org.chainwalletd.follow;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;

/**
 * Computes the proof of work of headers (chain protocol, section 9.5): a few tenths of a second and 64 MiB each, on a low-priority thread. Passed
 * headers are cached. Thread-safe.
 */
public final class WorkCheck {
    private static final Argon2 COST = new Argon2(65_536, 2, 1);
    private static final int REMEMBERED = 20_000;

    private final Predicate<BlockHeader> meetsTarget;
    private final Executor background;
    private final Map<Hash256, CompletableFuture<Boolean>> known = new LinkedHashMap<>();

    /** @param background computes one header at a time; its queue grows with the number of blocks being read */
    public WorkCheck(ChainProfile profile, Executor background) {
        this(header -> header.isMetBy(hash(profile, header)), background);
    }

    /** @param meetsTarget computes the hash of a header and compares it with its target */
    WorkCheck(Predicate<BlockHeader> meetsTarget, Executor background) {
        this.meetsTarget = meetsTarget;
        this.background = background;
    }

    /** Returns whether any hash meets the target of {@code header}, so that nothing needs to be computed. */
    static boolean isFree(BlockHeader header) {
        return header.target().equals(Difficulty.EASIEST);
    }

    /** Returns whether the hash of {@code header} meets its own target. Costs nothing if any hash meets the target. */
    CompletionStage<Boolean> passes(BlockHeader header, Hash256 id) {
        if (isFree(header)) {
            return CompletableFuture.completedFuture(true);
        }
        synchronized (known) {
            CompletableFuture<Boolean> before = known.get(id);
            if (before != null && !before.isCompletedExceptionally() && before.getNow(true)) {
                return before;
            }
            CompletableFuture<Boolean> now = CompletableFuture.supplyAsync(() -> meetsTarget.test(header), background);
            known.put(id, now);
            if (known.size() > REMEMBERED) {
                known.remove(known.keySet().iterator().next());
            }
            return now;
        }
    }

    /** Computes the proof-of-work hash of a header. Blocks meanwhile. */
    public static Hash256 hash(ChainProfile profile, BlockHeader header) {
        try (SecretBytes hash = COST.derive(
                header.powPassword(profile).toArray(), header.powSalt(profile).toArray())) {
            return Hash256.of(hash.copy());
        }
    }
}
