package org.chainwalletd.swap;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcSpend;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.TwoChains;

/** What both chains say themselves of each swap, whatever the engine believes. Everything that must never happen is kept. */
final class SwapTruth {
    private final TwoChains chains;
    private final PublicKey ourKey;
    private final EvmAddress ourEvm;
    private final Map<String, SwapRow> rows = new ConcurrentHashMap<>();
    private final Set<String> revealed = ConcurrentHashMap.newKeySet();
    private final List<String> wrong = new CopyOnWriteArrayList<>();

    SwapTruth(TwoChains chains, PublicKey ourKey, EvmAddress ourEvm) {
        this.chains = chains;
        this.ourKey = ourKey;
        this.ourEvm = ourEvm;
    }

    /** What must never have happened, in its order. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    /** How many swaps the engine looks at again and again. */
    int open() {
        return (int) rows.values().stream()
                .filter(row -> row.acts().locking() && !row.isSettled())
                .count();
    }

    boolean isRevealed(String id) {
        return revealed.contains(id);
    }

    private Ledger ledger() {
        return chains.chain().ledger();
    }

    private void require(boolean holds, SwapRow row, String what) {
        if (!holds) {
            wrong.add(row.id() + ": " + what + "; " + row);
        }
    }

    // What the engine does

    void changed(SwapRow row) {
        rows.put(row.id(), row);
        boolean byEvidence = row.ownLock() instanceof OwnLock.Claimed || row.poolLock() instanceof PoolLock.Claimed;
        if (row.acts().revealed() && revealed.add(row.id()) && !byEvidence) {
            require(isGateOpen(row), row, "the secret may leave, and no gate should be open");
        }
    }

    void pushes(SwapRow row) {
        require(revealed.contains(row.id()), row, "the secret leaves before that is durable");
    }

    void takesBack(SwapRow row) {
        boolean due = row.terms().direction().isSell()
                ? ledger().tip().height() > row.terms().timeout()
                : chains.evm().head().time() >= row.terms().timeout();
        require(due, row, "a refund leaves before it is due");
        require(row.acts().refunding(), row, "a refund leaves before that is durable");
    }

    /** One round may have passed since it was judged, and a reorganisation of two blocks. */
    private boolean isGateOpen(SwapRow row) {
        SwapTerms terms = row.terms();
        if (terms.direction().isSell()) {
            SwapContract.Swap slot = chains.evm().finalizedSwap(terms.hashLock());
            long left = slot.deadline() - chains.evm().head().time();
            return slot.state() == SwapContract.State.LOCKED
                    && slot.recipient().equals(ourEvm)
                    && slot.amount().compareTo(terms.amountOutUnits()) >= 0
                    && left >= SwapWorld.EVM_MARGIN - 20;
        }
        return row.poolLock() instanceof PoolLock.Locked lock
                && isGood(terms, Hash256.parse(lock.reference().substring(0, 64)));
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
                && output.value().toBigInteger().compareTo(terms.amountOutUnits()) >= 0
                && HtlcScript.recognise(output.script())
                        .filter(params -> params.hashLock().equals(terms.hashLock())
                                && params.receiver().equals(ourKey)
                                && params.timeoutHeight() - tip >= SwapWorld.CHAIN_MARGIN - 2)
                        .isPresent();
    }

    // What came of it

    /**
     * @param locks how many locks of ours there are
     * @param gained whether the pool's lock was paid to us
     * @param paid whether our lock was claimed
     * @param refunded whether our lock came back
     */
    record Outcome(int locks, boolean gained, boolean paid, boolean refunded) {}

    private record Lock(HtlcParams params, TxOutput output, Optional<HtlcSpend> end) {
        boolean isClaimed() {
            return end.filter(HtlcSpend.Claim.class::isInstance).isPresent();
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
                                && lock.output().value().toBigInteger().compareTo(terms.amountOutUnits()) >= 0
                                && lock.isClaimed()),
                slotOurs && slotClaimed,
                slotOurs && slot.state() == SwapContract.State.REFUNDED);
    }

    /** In blocks. */
    private List<Lock> locks(Hash256 hashLock) {
        List<Lock> locks = new ArrayList<>();
        for (long height = 0; height <= ledger().tip().height(); height++) {
            for (Transaction tx : ledger().blockAt(height).orElseThrow().block().transactions()) {
                Hash256 txId = TransactionCodec.txId(SwapWorld.PROFILE, tx);
                for (int i = 0; i < tx.outputs().size(); i++) {
                    TxOutput output = tx.outputs().get(i);
                    Outpoint outpoint = new Outpoint(txId, i);
                    HtlcScript.recognise(output.script())
                            .filter(params -> params.hashLock().equals(hashLock))
                            .ifPresent(params -> locks.add(new Lock(params, output, end(outpoint))));
                }
            }
        }
        return locks;
    }

    private Optional<HtlcSpend> end(Outpoint outpoint) {
        return ledger().spentBy(outpoint)
                .flatMap(spent -> ledger().transaction(spent.txId())
                        .flatMap(found ->
                                HtlcWitness.classify(found.tx().witnesses().get(spent.inputIndex()))));
    }
}
