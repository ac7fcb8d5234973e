package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmBlock;

/**
 * State of a swap on both chains themselves, independent of what any component believes: the outcome of its locks, and whether a gate should be
 * open.
 */
public final class SwapFacts {
    private final TwoChains chains;
    private final PublicKey ourKey;
    private final EvmAddress ourEvm;

    SwapFacts(TwoChains chains, PublicKey ourKey, EvmAddress ourEvm) {
        this.chains = chains;
        this.ourKey = ourKey;
        this.ourEvm = ourEvm;
    }

    private Ledger ledger() {
        return chains.chain().ledger();
    }

    boolean isPublic(SwapTerms terms) {
        return isShownByContract(terms.hashLock())
                || locks(terms.hashLock()).stream().anyMatch(Lock::isClaimed);
    }

    private boolean isShownByContract(Hash256 hashLock) {
        return chains.evm().swap(hashLock).state() == SwapContract.State.CLAIMED
                || chains.evm().waiting().stream()
                        .anyMatch(tx -> SwapContract.claimed(tx.data())
                                .filter(preimage -> Hash256.sha256(preimage).equals(hashLock))
                                .isPresent());
    }

    /** Allows for one round and a reorganisation of two blocks since the gate was evaluated. */
    boolean isGateOpen(SwapRow row) {
        SwapTerms terms = row.terms();
        if (terms.direction().isSell()) {
            SwapContract.Swap slot = chains.evm().finalizedSwap(terms.hashLock());
            long left = slot.deadline() - chains.evm().head().time();
            return slot.state() == SwapContract.State.LOCKED
                    && slot.recipient().equals(ourEvm)
                    && slot.amount().compareTo(terms.received().units()) >= 0
                    && left >= SwapWorld.EVM_MARGIN - 20;
        }
        return row.poolLock() instanceof PoolLock.Locked lock
                && isGood(terms, Hash256.parse(lock.reference().substring(0, 64)));
    }

    /** Returns the inputs of a gate as human-readable text. */
    String gate(SwapRow row) {
        return row.terms().direction().isSell()
                ? "at " + chains.evm().head().time() + " the finalised block has "
                        + chains.evm().finalizedSwap(row.terms().hashLock()) + ", the newest "
                        + chains.evm()
                                .swap(
                                        row.terms().account().contract(),
                                        row.terms().hashLock())
                : "at height " + ledger().tip().height() + " the chain has " + row.poolLock();
    }

    private boolean isGood(SwapTerms terms, Hash256 txId) {
        return ledger().transaction(txId)
                .filter(found -> found.blockId() != null)
                .filter(found -> ledger().tip().height() - found.height() + 1 >= SwapWorld.CHAIN_DEPTH - 2)
                .filter(found -> found.tx().outputs().stream().anyMatch(output -> isGood(terms, output)))
                .isPresent();
    }

    private boolean isGood(SwapTerms terms, TxOutput output) {
        long tip = ledger().tip().height();
        return output.datumHash() == null
                && output.datum() == null
                && output.value().toBigInteger().compareTo(terms.received().units()) >= 0
                && HtlcScript.recognise(output.script())
                        .filter(params -> params.hashLock().equals(terms.hashLock())
                                && params.receiver().equals(ourKey)
                                && params.timeoutHeight() - tip >= SwapWorld.CHAIN_MARGIN - 2)
                        .isPresent();
    }

    /** Tests whether the pool locked within its window after our lock reached its depth. */
    boolean isInTime(SwapRow row) {
        OptionalLong settled = row.ownLock() instanceof OwnLock.Locked lock ? lock.settledAt() : OptionalLong.empty();
        OptionalLong answered = row.terms().direction().isSell()
                ? lockedInContractAt(row.terms().hashLock())
                : lockedOnChainAt(((PoolLock.Locked) row.poolLock()).reference());
        return settled.isPresent()
                && answered.isPresent()
                && answered.getAsLong() <= settled.getAsLong() + SwapLimits.POOL_WINDOW_SECONDS;
    }

    private OptionalLong lockedInContractAt(Hash256 hashLock) {
        int length = SwapContract.lock(hashLock, ourEvm, 0).length();
        for (long number = chains.evm().head().number(); number > 0; number--) {
            EvmBlock block = chains.evm().block(number).orElseThrow();
            boolean locks = block.receipts().stream()
                    .anyMatch(receipt -> receipt.succeeded()
                            && receipt.tx().data().length() == length
                            && SwapTruth.argument(receipt.tx()).equals(hashLock));
            if (locks) {
                return OptionalLong.of(block.time());
            }
        }
        return OptionalLong.empty();
    }

    private OptionalLong lockedOnChainAt(String reference) {
        return ledger().transaction(Hash256.parse(reference.substring(0, 64)))
                .filter(found -> found.blockId() != null)
                .flatMap(found -> ledger().blockAt(found.height()))
                .map(block -> OptionalLong.of(block.timestamp()))
                .orElseGet(OptionalLong::empty);
    }

    /** @param rounds that may have passed since the evaluation */
    boolean isRefundDue(SwapTerms terms, int rounds) {
        return terms.direction().isSell()
                ? ledger().tip().height() - rounds > terms.timeout()
                : chains.evm().head().time() - 10L * rounds >= terms.timeout()
                        || chains.clock().instant().getEpochSecond() - 10L * rounds >= terms.timeout() + 900;
    }

    /**
     * @param locks number of our locks
     * @param gained whether the pool's lock was paid to us
     * @param paid whether our lock was claimed
     * @param refunded whether our lock was refunded
     */
    record Outcome(int locks, boolean gained, boolean paid, boolean refunded) {}

    /** An HTLC in a block. */
    record Lock(Outpoint outpoint, HtlcParams params, TxOutput output, Optional<HtlcSpend> end) {
        boolean isClaimed() {
            return end.filter(HtlcSpend.Claim.class::isInstance).isPresent();
        }

        BigInteger value() {
            return output.value().toBigInteger();
        }
    }

    Outcome outcome(SwapTerms terms) {
        List<Lock> locks = locks(terms.hashLock());
        List<Lock> ours = locks.stream()
                .filter(lock -> lock.params().sender().equals(ourKey))
                .toList();
        SwapContract.Swap slot = chains.evm().swap(terms.hashLock());
        boolean slotClaimed = slot.state() == SwapContract.State.CLAIMED;
        if (terms.direction().isSell()) {
            return new Outcome(
                    ours.size(),
                    slotClaimed && slot.recipient().equals(ourEvm),
                    ours.stream().anyMatch(Lock::isClaimed),
                    ours.stream().anyMatch(lock -> lock.end().isPresent() && !lock.isClaimed()));
        }
        boolean slotOurs = slot.sender().equals(ourEvm);
        return new Outcome(
                slotOurs ? 1 : 0,
                locks.stream()
                        .anyMatch(lock -> lock.params().receiver().equals(ourKey)
                                && lock.value().compareTo(terms.received().units()) >= 0
                                && lock.isClaimed()),
                slotOurs && slotClaimed,
                slotOurs && slot.state() == SwapContract.State.REFUNDED);
    }

    /** Returns the locks of a hash lock. */
    private List<Lock> locks(Hash256 hashLock) {
        return locks().stream()
                .filter(lock -> lock.params().hashLock().equals(hashLock))
                .toList();
    }

    /** Returns all locks. */
    List<Lock> locks() {
        List<Lock> locks = new ArrayList<>();
        for (long height = 0; height <= ledger().tip().height(); height++) {
            Optional<ConnectedBlock> block = ledger().blockAt(height);
            if (block.isEmpty()) {
                break;
            }
            List<Transaction> transactions = block.get().block().transactions();
            for (int i = 0; i < transactions.size(); i++) {
                locks.addAll(locks(block.get().txIds().get(i), transactions.get(i)));
            }
        }
        return locks;
    }

    private List<Lock> locks(Hash256 txId, Transaction tx) {
        List<Lock> locks = new ArrayList<>();
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            Outpoint outpoint = new Outpoint(txId, i);
            HtlcScript.recognise(output.script())
                    .ifPresent(params -> locks.add(new Lock(outpoint, params, output, end(outpoint))));
        }
        return locks;
    }

    private Optional<HtlcSpend> end(Outpoint outpoint) {
        return ledger().spentBy(outpoint)
                .flatMap(spent -> ledger().transaction(spent.txId())
                        .map(LedgerView.Located::tx)
                        .flatMap(tx -> HtlcWitness.classify(tx.witnesses().get(spent.inputIndex()))));
    }
}
