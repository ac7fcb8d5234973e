package org.chainwalletd.swap.engine;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;

/** Legs that show the states set by the test and count what is sent. Once a lock is sent, its slot is an objection to another one. */
class ShownLegs extends IdleLegs {
    static final OwnLock LOCKED = new OwnLock.Locked("lock:0", OptionalLong.empty());

    final AtomicInteger looks = new AtomicInteger();
    final AtomicInteger locks = new AtomicInteger();
    final AtomicInteger abandoned = new AtomicInteger();
    final AtomicInteger refunds = new AtomicInteger();
    volatile OwnLock lock = new OwnLock.Absent();
    volatile LockPermission permission = new LockPermission.Granted();
    volatile boolean refundDue;

    @Override
    public CompletionStage<View> look(SwapRow row) {
        looks.incrementAndGet();
        return CompletableFuture.completedFuture(view(lock, permission, refundDue));
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
        locks.incrementAndGet();
        lock = LOCKED;
        permission = new LockPermission.Refused("slot taken");
        return CompletableFuture.completedFuture("lock");
    }

    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        abandoned.incrementAndGet();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        refunds.incrementAndGet();
        return CompletableFuture.completedFuture("refund");
    }
}
