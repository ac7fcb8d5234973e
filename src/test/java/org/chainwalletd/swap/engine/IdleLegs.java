package org.chainwalletd.swap.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.legs.Legs;

/** Legs whose chains answer nothing and through which nothing may be sent; a test overrides what it allows. */
class IdleLegs implements Legs {
    /** Returns an observation of both chains in which the pool has not locked and no gate was evaluated. */
    static View view(OwnLock own, LockPermission permission, boolean refundDue) {
        return new View(
                new ChainObservation(Optional.of(own), Optional.of(new PoolLock.Absent()), false),
                permission,
                refundDue,
                Optional.empty());
    }

    @Override
    public CompletionStage<View> look(SwapRow row) {
        return CompletableFuture.failedFuture(new IllegalStateException("nobody answers"));
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
        throw new AssertionError("nothing is to be locked");
    }

    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        throw new AssertionError("no lock is to be abandoned");
    }

    @Override
    public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        throw new AssertionError("no secret may leave");
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        throw new AssertionError("no refund is due");
    }
}
