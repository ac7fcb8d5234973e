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
 * Meaning of a slot of the contract for a swap. The contract keeps the terms of a lock after its end, so who was paid is read there and from no
 * receipt: anybody may send a claim, and ours reverts then although it paid us.
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

    /** Reads the slot by quorum. Fails when endpoints disagree, as they do for a moment when one has a block that another one lacks. */
    static ContractSlot look(AccountChain chain, SwapTerms terms) {
        EvmAddress contract = terms.account().contract();
        CompletionStage<SwapContract.Swap> latest =
                chain.agreed(reads -> reads.swap(contract, terms.hashLock(), BlockRef.Tag.LATEST));
        // No single endpoint makes a refund look due.
        CompletionStage<Long> latestTime = chain.reached(reads ->
                reads.block(BlockRef.Tag.LATEST).map(AccountBlock::timestamp).orElse(0L));
        SwapContract.Swap settled = await(chain.finalBlock())
                .map(block -> await(
                        chain.agreed(reads -> reads.swap(contract, terms.hashLock(), BlockRef.hash(block.hash())))))
                .orElse(NOTHING);
        return new ContractSlot(settled, await(latest), await(latestTime));
    }

    /**
     * Our own lock, in a buy.
     *
     * @param before what was seen last: a lock that was settled stays so from then on, unless the settled block no longer has it
     * @param tx of the transaction that ended it, as far as it is known
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

    /** Whether whoever has the slot pays us what was quoted. */
    static boolean paysUs(SwapTerms terms, SwapContract.Swap slot) {
        return slot.recipient().equals(terms.ours().evm())
                && slot.amount().compareTo(terms.received().units()) >= 0;
    }

    /**
     * The pool's lock, in a sell.
     *
     * @param own our own lock, as it was seen last
     * @param tx of the transaction that claimed it, as far as it is known
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
