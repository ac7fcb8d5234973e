package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.CoinHolds.Stage;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.PackedSpend;

/**
 * What spends have at stake: their coins and their part of the allowance, which go together from the one who runs a spend to its payment. Part
 * of {@link Reservations}, on its thread.
 */
final class Stakes {
    private final CoinHolds coins;
    private final Allowance allowance;

    Stakes(CoinHolds coins, Allowance allowance) {
        this.coins = coins;
        this.allowance = allowance;
    }

    Optional<SpendRefusal.AllowanceExceeded> refusal(Amount leaving) {
        return allowance.refusal(leaving);
    }

    /**
     * Both or nothing.
     *
     * @param capped whether the allowance can refuse it; it counts in any case
     * @param insteadOf a spend that it takes the place of: what that one counts is not counted twice
     * @throws SpendException when the allowance does not suffice
     */
    void hold(Owner.Running spend, List<Coin> inputs, Amount leaving, boolean capped, Optional<Hash256> insteadOf) {
        Optional<SpendRefusal.AllowanceExceeded> refusal = capped ? refusal(leaving, insteadOf) : Optional.empty();
        refusal.ifPresent(exceeded -> {
            throw new SpendException(exceeded);
        });
        allowance.hold(spend, leaving);
        coins.holdFree(spend, Stage.HELD, inputs);
    }

    private Optional<SpendRefusal.AllowanceExceeded> refusal(Amount leaving, Optional<Hash256> insteadOf) {
        return insteadOf.isPresent()
                ? allowance.refusal(leaving, new Owner.Payment(insteadOf.get()))
                : allowance.refusal(leaving);
    }

    /** Another spend counts in its place. */
    void replaced(Hash256 txId) {
        allowance.release(new Owner.Payment(txId));
    }

    /**
     * Whether a spend that is sent again can have what it had: not when another one has a coin of it, nor when the allowance does not suffice.
     * Holds nothing; what it still has itself stays its own.
     *
     * @param capped whether the allowance can refuse it; it counts in any case
     */
    Reacquisition reacquisition(Intent intent, boolean capped) {
        Owner payment = paymentOf(intent);
        List<Coin> taken = coins.takenFrom(payment, intent.kind(), intent.inputs());
        if (!taken.isEmpty()) {
            return new Reacquisition.Taken(taken, coins.firstSpent(taken));
        }
        Optional<SpendRefusal.AllowanceExceeded> exceeded = allowance.refusal(intent.allowance(), payment);
        return exceeded.isPresent() && capped
                ? new Reacquisition.TooMuch(exceeded.get())
                : new Reacquisition.Reacquired();
    }

    /** After {@link Reacquisition.Reacquired}. */
    void holdAgain(Owner.Running spend, Intent intent) {
        allowance.hold(spend, intent.allowance());
        coins.holdFree(spend, Stage.HELD, intent.inputs());
    }

    /** What is held for an intent that was in doubt is held for the one who runs it again. */
    void takeFromDoubt(Owner.Running spend, Intent intent) {
        Owner payment = paymentOf(intent);
        coins.move(payment, spend, Stage.HELD);
        allowance.release(payment);
    }

    /** It is durable, and does not count from when it was made. */
    void counts(Owner.Running spend, long at) {
        allowance.countsSince(spend, at);
    }

    /** The intent is durable. */
    void land(Owner.Running spend, Intent intent) {
        coins.move(spend, paymentOf(intent), Stage.IN_FLIGHT);
        allowance.countsSince(spend, intent.createdAt());
        allowance.move(spend, paymentOf(intent));
    }

    /** The intent may be durable, since no later than now. */
    void doubt(Owner.Running spend, Intent intent) {
        coins.move(spend, paymentOf(intent), Stage.HELD);
        allowance.countsNow(spend);
        allowance.move(spend, paymentOf(intent));
    }

    /** An intent that was in doubt is durable. */
    void isDurable(Intent intent) {
        coins.move(paymentOf(intent), paymentOf(intent), Stage.IN_FLIGHT);
    }

    /** @param left whether a node has seen its bytes: then it keeps what it took of the allowance */
    void failed(Owner.Running spend, Hash256 txId, boolean left) {
        Owner payment = new Owner.Payment(txId);
        coins.release(payment);
        if (left) {
            allowance.move(spend, payment);
        } else {
            allowance.release(payment);
        }
        free(spend);
    }

    /** Nobody can tell whose payment it is, so it may be ours. */
    void contested(Owner.Running spend, Hash256 txId) {
        coins.release(spend);
        allowance.move(spend, new Owner.Payment(txId));
    }

    void free(Owner owner) {
        coins.release(owner);
        allowance.release(owner);
    }

    /** What it takes of the allowance it keeps. */
    void freeCoins(Hash256 txId) {
        coins.release(new Owner.Payment(txId));
    }

    /** Its coins are spent, and what it took of the allowance stays taken. */
    void confirmed(PackedSpend spend) {
        coins.spent(spend);
        allowance.settle(new Owner.Payment(spend.txId()));
    }

    /** It is in flight again. */
    void unconfirmed(Intent intent) {
        Owner payment = paymentOf(intent);
        coins.release(payment);
        coins.holdFree(payment, Stage.IN_FLIGHT, intent.inputs());
        allowance.unsettle(payment, intent.allowance(), intent.createdAt());
    }

    AllowanceStatus status() {
        return allowance.status();
    }

    /** Time has passed. */
    void slide() {
        allowance.dropOld();
    }

    private static Owner.Payment paymentOf(Intent intent) {
        return new Owner.Payment(intent.txId());
    }
}
