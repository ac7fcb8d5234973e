package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Contract slot of a swap's hash lock, interpreted for the swap. The contract keeps the terms of a lock after its end, so the payment is read there
 * and not from a receipt: anybody may send the claim, and ours then reverts although we were paid.
 *
 * @param settled the slot at a final block
 * @param latest the slot at the newest block
 * @param latestTime of the newest block, Unix seconds
 */
public record ContractSlot(SwapContract.Swap settled, SwapContract.Swap latest, long latestTime) {
    private static final SwapContract.Swap NOTHING = new SwapContract.Swap(
            EvmAddress.of(new byte[EvmAddress.LENGTH]),
            EvmAddress.of(new byte[EvmAddress.LENGTH]),
            BigInteger.ZERO,
            0,
            SwapContract.State.NONE);

    /** Reads the slot by quorum. Fails when endpoints disagree, as they do briefly when one has a block that another lacks. */
    static ContractSlot look(AccountChain chain, SwapTerms terms) {
        EvmAddress contract = terms.account().contract();
        CompletionStage<SwapContract.Swap> latest =
                chain.agreed(reads -> reads.swap(contract, terms.hashLock(), BlockRef.Tag.LATEST));
        // By quorum, so no single endpoint can make a refund look due.
        CompletionStage<Long> latestTime = chain.reached(reads ->
                reads.block(BlockRef.Tag.LATEST).map(AccountBlock::timestamp).orElse(0L));
        SwapContract.Swap settled = await(chain.finalBlock())
                .map(block -> await(
                        chain.agreed(reads -> reads.swap(contract, terms.hashLock(), BlockRef.hash(block.hash())))))
                .orElse(NOTHING);
        return new ContractSlot(settled, await(latest), await(latestTime));
    }

    /**
     * Returns the state of our own lock, in a buy.
     *
     * @param before previous state: a settled lock keeps its time, unless the settled block no longer has it
     * @param tx id of the transaction that ended it, if known
     */
    public OwnLock ownLock(SwapTerms terms, OwnLock before, String tx) {
        if (latest.state() == SwapContract.State.NONE) {
            return new OwnLock.Absent();
        }
        if (!isOurs(terms, latest)) {
            return new OwnLock.Foreign();
        }
        String reference = terms.hashLock().hex();
        boolean isFinal = settled.equals(latest);
        return switch (latest.state()) {
            case CLAIMED -> new OwnLock.Claimed(reference, tx, isFinal);
            case REFUNDED -> new OwnLock.TakenBack(reference, tx, isFinal);
            default -> new OwnLock.Locked(reference, isFinal ? settledAt(before) : OptionalLong.empty());
        };
    }

    private OptionalLong settledAt(OwnLock before) {
        return before instanceof OwnLock.Locked locked && locked.settledAt().isPresent()
                ? locked.settledAt()
                : OptionalLong.of(latestTime);
    }

    static boolean isOurs(SwapTerms terms, SwapContract.Swap slot) {
        EvmAddress recipient = terms.theirs().evm().orElseThrow();
        return slot.sender().equals(terms.ours().evm())
                && slot.recipient().equals(recipient)
                && slot.amount().equals(terms.given().units())
                && slot.deadline() == terms.timeout();
    }

    /** Tests whether the lock in the slot, whoever made it, pays us at least the quoted amount. */
    static boolean paysUs(SwapTerms terms, SwapContract.Swap slot) {
        return slot.recipient().equals(terms.ours().evm())
                && slot.amount().compareTo(terms.received().units()) >= 0;
    }

    /**
     * Returns the state of the pool's lock, in a sell.
     *
     * @param own latest state of our own lock
     * @param tx id of the transaction that claimed it, if known
     */
    public PoolLock poolLock(SwapTerms terms, OwnLock own, String tx) {
        if (latest.state() == SwapContract.State.NONE) {
            boolean isPaid = own instanceof OwnLock.Claimed claimed && claimed.isFinal();
            return isPaid && settled.equals(latest)
                    ? new PoolLock.Absent(OptionalLong.empty(), true)
                    : new PoolLock.Absent();
        }
        if (!paysUs(terms, latest)) {
            return new PoolLock.Foreign();
        }
        String reference = terms.hashLock().hex();
        boolean isFinal = settled.equals(latest);
        return switch (latest.state()) {
            case CLAIMED -> new PoolLock.Claimed(reference, tx, isFinal);
            case REFUNDED -> new PoolLock.TakenBack(reference, isFinal);
            default -> new PoolLock.Locked(reference, OptionalLong.of(latest.deadline()));
        };
    }
}
