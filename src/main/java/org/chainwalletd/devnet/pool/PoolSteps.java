package org.chainwalletd.devnet.pool;

import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.SwapContract;

/** Next step of the pool for one swap, read anew from both chains each time, so that a reorganisation of either is no special case. */
record PoolSteps(PoolConfig config, PoolConduct conduct, ChainLeg chain, EvmLeg evm) {
    private static final long BLOCK_SECONDS = 10;
    /** Time left on the user's lock after the pool's own has ended, for the pool's claim. */
    private static final long MARGIN_SECONDS = 3_600;
    /** Time allowed for a user who locks shortly after the quote ended. */
    private static final long GRACE_SECONDS = 1_800;

    void step(PoolSwap swap) throws IOException {
        switch (swap.stage) {
            case QUOTED -> awaitUser(swap);
            case LOCKED, REFUNDED -> {
                if (swap.sell) {
                    watchContract(swap);
                } else {
                    watchChain(swap);
                }
            }
            case CLAIMING, COMPLETED -> claim(swap);
            case EXPIRED -> {}
        }
    }

    /** Reference by which a user finds the pool's lock. */
    Optional<String> lockReference(PoolSwap swap) {
        return swap.sell
                ? swap.poolEvmLock.map(signed -> "0x" + signed.hash().hex())
                : swap.poolChainLock.map(lock -> lock.outpoint().txId().hex());
    }

    private void awaitUser(PoolSwap swap) throws IOException {
        boolean deep = swap.sell ? sellerLocked(swap) : buyerLocked(swap);
        if (deep) {
            if (conduct.locks(swap)) {
                lock(swap);
            }
        } else if (now() > swap.expiresAt + GRACE_SECONDS && swap.userLock.isEmpty()) {
            swap.stage = PoolSwap.Stage.EXPIRED;
        }
    }

    private boolean sellerLocked(PoolSwap swap) {
        swap.userLock = swap.notified
                .flatMap(txId -> chain.lockIn(txId, swap.hashLock))
                .filter(lock -> lock.value().compareTo(swap.amountIn) >= 0
                        && Long.compareUnsigned(lock.params().timeoutHeight(), swap.userTimeout) >= 0);
        if (swap.userLock.isEmpty()) {
            return false;
        }
        long left = swap.userTimeout - chain.height();
        boolean inTime = left * BLOCK_SECONDS >= config.locks().poolSecs() + MARGIN_SECONDS;
        swap.notes = inTime ? "" : "the seller's lock has too little time left";
        return inTime
                && chain.depth(swap.userLock.get().outpoint().txId())
                        >= config.depths().chain();
    }

    private boolean buyerLocked(PoolSwap swap) throws IOException {
        SwapContract.Swap lock = evm.swapBelow(swap.hashLock, config.depths().evm() - 1);
        boolean fits = lock.state() == SwapContract.State.LOCKED
                && lock.recipient().equals(evm.address())
                && lock.amount().compareTo(swap.amountIn) >= 0
                && Long.compareUnsigned(lock.deadline(), swap.userTimeout) >= 0;
        boolean inTime = swap.userTimeout - now() >= config.locks().poolBlocks() * BLOCK_SECONDS + MARGIN_SECONDS;
        swap.notes = inTime ? "" : "the buyer's lock has too little time left";
        return fits && inTime;
    }

    private void lock(PoolSwap swap) throws IOException {
        if (swap.sell) {
            swap.evmHeight = evm.height();
            BigInteger wei = conduct.lockedWei(swap, swap.amountOut);
            long deadline = conduct.deadline(swap, now() + config.locks().poolSecs());
            Bytes call = SwapContract.lock(swap.hashLock, swap.userAddress.orElseThrow(), deadline);
            swap.poolEvmLock = Optional.of(evm.sign(wei, call));
            evm.send(swap.poolEvmLock.get());
        } else {
            long timeout =
                    conduct.timeoutHeight(swap, chain.height() + config.locks().poolBlocks());
            HtlcParams params = new HtlcParams(chain.publicKey(), swap.userKey.orElseThrow(), swap.hashLock, timeout);
            TxOutput honest = chain.lockOutput(params, swap.amountOut);
            List<TxOutput> outputs = conduct.lockOutputs(swap, honest);
            Optional<Transaction> made = chain.payment(outputs);
            if (made.isEmpty()) {
                swap.notes = "not enough coins";
                return;
            }
            swap.poolChainLock = Optional.of(chainLock(made.get(), outputs, params));
            chain.submit(made.get());
        }
        swap.stage = PoolSwap.Stage.LOCKED;
    }

    /** The last output that the user's key can claim; earlier ones are decoys. */
    private PoolSwap.ChainLock chainLock(Transaction tx, List<TxOutput> outputs, HtlcParams wanted) {
        int index = 0;
        HtlcParams params = wanted;
        for (int i = 0; i < outputs.size(); i++) {
            Optional<HtlcParams> found = HtlcScript.recognise(outputs.get(i).script());
            if (found.isPresent() && found.get().hashLock().equals(wanted.hashLock())) {
                index = i;
                params = found.get();
            }
        }
        BigInteger value = outputs.get(index).value().toBigInteger();
        return new PoolSwap.ChainLock(tx, new Outpoint(chain.id(tx), index), params, value);
    }

    private void watchContract(PoolSwap swap) throws IOException {
        SwapContract.Swap seen = evm.swap(swap.hashLock);
        if (seen.state() != SwapContract.State.NONE && !seen.sender().equals(evm.address())) {
            swap.notes = "somebody else has the slot of this hash lock";
            return;
        }
        switch (seen.state()) {
            case NONE -> lockAgain(swap);
            case LOCKED -> {
                swap.stage = PoolSwap.Stage.LOCKED;
                if (Long.compareUnsigned(evm.time(), seen.deadline()) >= 0) {
                    sendOnce(swap, SwapContract.refund(swap.hashLock));
                }
            }
            case REFUNDED -> swap.stage = PoolSwap.Stage.REFUNDED;
            case CLAIMED ->
                evm.claimSince(swap.evmHeight, swap.hashLock).ifPresent(shown -> {
                    swap.preimage = Optional.of(shown.preimage());
                    swap.userClaim = Optional.of(shown.transaction());
                    swap.stage = PoolSwap.Stage.CLAIMING;
                });
        }
    }

    /**
     * Sends the lock again: the same bytes while the chain may still accept them; a new transaction only when the contract shows no lock
     * and the chain no longer knows the first one.
     */
    private void lockAgain(PoolSwap swap) throws IOException {
        DynamicFeeTransaction.Signed signed = swap.poolEvmLock.orElseThrow();
        if (!evm.isKnown(signed)) {
            evm.send(signed);
        }
        if (!evm.isKnown(signed)) {
            swap.stage = PoolSwap.Stage.QUOTED;
        }
    }

    private void watchChain(PoolSwap swap) {
        PoolSwap.ChainLock lock = swap.poolChainLock.orElseThrow();
        Optional<ChainLeg.Spend> spend = chain.spendOf(lock.outpoint(), HtlcScript.build(lock.params()));
        if (spend.isPresent() && spend.get().shown() instanceof HtlcSpend.Claim claim) {
            swap.preimage = Optional.of(claim.preimage());
            swap.userClaim = Optional.of(spend.get().txId().hex());
            swap.stage = PoolSwap.Stage.CLAIMING;
        } else if (spend.isPresent()) {
            swap.stage = chain.depth(spend.get().txId()) > 0 ? PoolSwap.Stage.REFUNDED : PoolSwap.Stage.LOCKED;
        } else {
            swap.stage = PoolSwap.Stage.LOCKED;
            chain.submit(lock.transaction());
            if (lock.params().reclaimableInBlock(chain.height() + 1)) {
                chain.submit(chain.reclaim(lock.outpoint(), lock.value()));
            }
        }
    }

    private void claim(PoolSwap swap) throws IOException {
        if (!conduct.claims(swap)) {
            return;
        }
        Bytes preimage = swap.preimage.orElseThrow();
        boolean done;
        if (swap.sell) {
            ChainLeg.Lock lock = swap.userLock.orElseThrow();
            Transaction claim = chain.claim(lock.outpoint(), lock.value(), preimage);
            chain.submit(claim);
            done = chain.depth(chain.id(claim)) > 0;
        } else {
            SwapContract.Swap seen = evm.swap(swap.hashLock);
            done = seen.state() == SwapContract.State.CLAIMED;
            if (seen.state() == SwapContract.State.LOCKED) {
                sendOnce(swap, SwapContract.claim(preimage.toArray()));
            }
        }
        swap.stage = done ? PoolSwap.Stage.COMPLETED : PoolSwap.Stage.CLAIMING;
    }

    /** The call that ends a lock in the contract: the same bytes as long as the chain knows them. */
    private void sendOnce(PoolSwap swap, Bytes call) throws IOException {
        if (swap.evmSpend.isEmpty() || !evm.isKnown(swap.evmSpend.get())) {
            swap.evmSpend = Optional.of(evm.sign(BigInteger.ZERO, call));
            evm.send(swap.evmSpend.get());
        }
    }

    /** Sends the user's claim of the pool's own lock. */
    String relay(PoolSwap swap, Bytes preimage) throws IOException {
        DynamicFeeTransaction.Signed claim = evm.sign(BigInteger.ZERO, SwapContract.claim(preimage.toArray()));
        evm.send(claim);
        return "0x" + claim.hash().hex();
    }

    private long now() {
        return config.clock().instant().getEpochSecond();
    }
}
