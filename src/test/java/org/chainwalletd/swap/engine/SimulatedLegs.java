package org.chainwalletd.swap.engine;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.testkit.Await;

/**
 * Two chains and a pool in a few numbers, whose time advances with each observation. The pool is a rational thief: it claims when it has seen the
 * secret, refunds its lock when it may, and otherwise follows the seed. What reaches a chain is checked against the journal.
 */
public final class SimulatedLegs implements Legs {
    static final long DEPTH = 3;
    static final long OWN_DEADLINE = 120;
    static final long POOL_DEADLINE = 80;
    static final long MARGIN = 25;
    static final long FINAL = 4;

    private final Random random;
    private final Map<String, SwapEntry> journal;
    private final SwapJournal reader;
    private final boolean poolLocks;
    private final boolean poolClaims;
    private final int trouble;

    private volatile int looks;
    private long now;
    private long lockSentAt = -1;
    private long lockMinedAt = -1;
    private boolean nonceSpentOtherwise;
    private long poolLockedAt = -1;
    private long claimSentAt = -1;
    private long claimedAt = -1;
    private long poolTookBackAt = -1;
    private long poolClaimedAt = -1;
    private long refundSentAt = -1;
    private long refundedAt = -1;
    private String wrong = "";
    private boolean gateOpen;
    private boolean claimJournalled;
    private int reorganisations = 2;

    /** @param reader of the rows that have survived any death */
    SimulatedLegs(Random random, Map<String, SwapEntry> journal, SwapJournal reader, int trouble) {
        this.random = random;
        this.journal = journal;
        this.reader = reader;
        this.trouble = trouble;
        this.poolLocks = random.nextInt(4) > 0;
        this.poolClaims = random.nextInt(4) > 0;
    }

    /** Returns violations of what must never happen; empty when there are none. */
    String wrong() {
        return wrong;
    }

    int looks() {
        return looks;
    }

    boolean bothLost() {
        return poolClaimedAt >= 0 && poolTookBackAt >= 0;
    }

    boolean gained() {
        return claimedAt >= 0;
    }

    boolean paid() {
        return poolClaimedAt >= 0;
    }

    boolean refunded() {
        return refundedAt >= 0;
    }

    boolean locked() {
        return lockMinedAt >= 0;
    }

    private boolean fails() {
        return random.nextInt(100) < trouble;
    }

    private static <T> CompletionStage<T> failed() {
        return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
    }

    /** Advances either chain by one block. */
    private void advance() {
        now++;
        if (lockSentAt >= 0 && lockMinedAt < 0 && !nonceSpentOtherwise && random.nextBoolean()) {
            lockMinedAt = now;
        }
        boolean settled = lockMinedAt >= 0 && now - lockMinedAt >= DEPTH;
        if (settled && poolLocks && poolLockedAt < 0 && now < 40 && random.nextInt(4) == 0) {
            poolLockedAt = now;
        }
        if (claimJournalled && claimSentAt < 0 && random.nextInt(8) == 0) {
            claimSentAt = now;
        }
        if (claimSentAt >= 0 && claimedAt < 0 && poolLockedAt >= 0 && poolTookBackAt < 0 && random.nextBoolean()) {
            claimedAt = now;
        }
        if (poolLockedAt >= 0 && claimedAt < 0 && poolTookBackAt < 0 && now >= POOL_DEADLINE) {
            poolTookBackAt = now;
        }
        if (claimSentAt >= 0 && poolClaims && lockMinedAt >= 0 && refundedAt < 0 && poolClaimedAt < 0) {
            poolClaimedAt = now;
        }
        if (refundSentAt >= 0 && refundedAt < 0 && poolClaimedAt < 0 && lockMinedAt >= 0 && now >= OWN_DEADLINE) {
            refundedAt = now;
        }
        maybeReorganise();
    }

    private void maybeReorganise() {
        if (reorganisations == 0 || random.nextInt(40) > 0) {
            return;
        }
        reorganisations--;
        if (claimedAt >= 0 && now - claimedAt < FINAL) {
            claimedAt = -1;
        } else if (refundedAt >= 0 && now - refundedAt < FINAL) {
            refundedAt = -1;
        } else if (lockMinedAt >= 0 && now - lockMinedAt < DEPTH) {
            lockMinedAt = -1;
        }
    }

    @Override
    public CompletionStage<View> look(SwapRow row) {
        looks++;
        advance();
        if (fails()) {
            return failed();
        }
        Optional<OwnLock> own = fails() ? Optional.empty() : Optional.of(ownLock());
        Optional<PoolLock> pool = fails() ? Optional.empty() : Optional.of(poolLock());
        boolean due = now >= OWN_DEADLINE;
        boolean open = poolLockedAt >= 0
                && poolTookBackAt < 0
                && now - poolLockedAt >= DEPTH
                && POOL_DEADLINE - now >= MARGIN
                && !due;
        gateOpen = open && own.isPresent() && pool.isPresent();
        GateVerdict gate = open ? GateVerdict.OPEN : GateVerdict.closed("not yet");
        LockPermission permission = now < 20 ? new LockPermission.Granted() : new LockPermission.Refused("too late");
        boolean shown = claimSentAt >= 0 && (claimedAt >= 0 || poolClaimedAt >= 0) && random.nextBoolean();
        boolean journalled = claimJournalled && pool.isPresent();
        return CompletableFuture.completedFuture(
                new View(new ChainObservation(own, pool, journalled || shown), permission, due, Optional.of(gate)));
    }

    private OwnLock ownLock() {
        if (nonceSpentOtherwise && lockMinedAt < 0) {
            return new OwnLock.Lost();
        }
        if (lockMinedAt < 0) {
            return new OwnLock.Absent();
        }
        if (poolClaimedAt >= 0) {
            return new OwnLock.Claimed("o", "pool-claim", now - poolClaimedAt >= FINAL);
        }
        if (refundedAt >= 0) {
            return new OwnLock.TakenBack("o", "refund", now - refundedAt >= FINAL);
        }
        boolean settled = now - lockMinedAt >= DEPTH;
        return new OwnLock.Locked("o", settled ? OptionalLong.of(lockMinedAt + DEPTH) : OptionalLong.empty());
    }

    private PoolLock poolLock() {
        if (poolLockedAt < 0) {
            return new PoolLock.Absent();
        }
        if (claimedAt >= 0) {
            return new PoolLock.Claimed("p", "claim", now - claimedAt >= FINAL);
        }
        return poolTookBackAt >= 0
                ? new PoolLock.TakenBack("p", now - poolTookBackAt >= FINAL)
                : new PoolLock.Locked("p", OptionalLong.empty());
    }

    private Acts durable(SwapRow row) {
        return Await.result(reader.find(row.id())).orElseThrow().acts();
    }

    private void require(boolean holds, String what) {
        if (!holds && wrong.isEmpty()) {
            wrong = what + " at " + now + " with " + journal.keySet();
        }
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
        require(durable(row).locking(), "a lock left before it was written");
        if (fails()) {
            return failed();
        }
        if (lockSentAt < 0) {
            lockSentAt = now;
        }
        return fails() ? failed() : CompletableFuture.completedFuture("lock");
    }

    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        require(durable(row).abandoning(), "a lock was given up before it was written");
        if (fails()) {
            return failed();
        }
        nonceSpentOtherwise |= lockMinedAt < 0;
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        Acts durable = durable(row);
        require(durable.claimPermitted() || durable.claimJournalled(), "a claim was made before it was written");
        require(Arrays.equals(secret.copy(), Sample.SECRET), "another secret left");
        if (!mayBegin.getAsBoolean() || fails()) {
            return failed();
        }
        require(
                durable.claimJournalled() || claimJournalled || poolClaimedAt >= 0 || gateOpen,
                "a first claim was made, and the gate was not open at the look before");
        claimJournalled = true;
        if (fails()) {
            return failed();
        }
        if (claimSentAt < 0) {
            claimSentAt = now;
        }
        return fails() ? failed() : CompletableFuture.completedFuture("claim");
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        require(durable(row).refunding(), "a refund left before it was written");
        require(now >= OWN_DEADLINE, "a refund left before it was due");
        if (fails()) {
            return failed();
        }
        refundSentAt = now;
        return fails() ? failed() : CompletableFuture.completedFuture("refund");
    }
}
