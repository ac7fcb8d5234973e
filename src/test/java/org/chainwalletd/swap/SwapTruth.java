package org.chainwalletd.swap;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.chainwalletd.chain.Bytes;
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
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmBlock;
import org.chainwalletd.testkit.evm.SignedTransaction;

/**
 * The judge. It believes the chains themselves and the file of the journal, never the engine: each write is judged before it is done, each
 * step before it is taken, and each transaction when it reaches a node or an endpoint, by what is durable at that very moment. Everything
 * that must never happen is kept.
 */
final class SwapTruth {

    private final TwoChains chains;
    private final PublicKey ourKey;
    private final EvmAddress ourEvm;
    private final Map<Hash256, Set<Object>> lockSends = new ConcurrentHashMap<>();
    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private volatile DurableJournal journal;

    SwapTruth(TwoChains chains, PublicKey ourKey, EvmAddress ourEvm) {
        this.chains = chains;
        this.ourKey = ourKey;
        this.ourEvm = ourEvm;
    }

    /** From the start of the first life on. */
    void believes(DurableJournal durable) {
        journal = durable;
    }

    /** What must never have happened, in its order. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    private void complain(String what) {
        wrong.add(what);
    }

    boolean isRevealed(String id) {
        return journal.row(id).orElseThrow().acts().revealed();
    }

    private Ledger ledger() {
        return chains.chain().ledger();
    }

    private void require(boolean holds, SwapRow row, String what) {
        if (!holds) {
            wrong.add(row.id() + ": " + what + "; " + row);
        }
    }

    // What the engine writes

    void writes(SwapRow before, SwapRow next) {
        onlyGrow(before, next);
        if (next.acts().revealed() && !before.acts().revealed() && !isPublic(next.terms())) {
            require(isGateOpen(next), next, "the secret may leave, and no gate should be open");
            require(!isRefundDue(next.terms(), 1), next, "the secret may leave, and our refund is due");
            require(isInTime(next), next, "the secret may leave for a lock that came too late");
        }
        if (next.status().isTerminal() && !before.status().isTerminal()) {
            require(isTrue(next), next, "the journal says what is not so");
        }
    }

    /** What was decided once is never taken back, and there is one lock. */
    private void onlyGrow(SwapRow before, SwapRow next) {
        Acts was = before.acts();
        Acts is = next.acts();
        boolean grows = (is.expired() || !was.expired())
                && (is.locking() || !was.locking())
                && (is.abandoning() || !was.abandoning())
                && (is.revealed() || !was.revealed())
                && (is.refunding() || !was.refunding());
        require(grows, next, "an act was taken back, from " + was);
        boolean sameLock = was.lockTx().isEmpty() || is.lockTx().equals(was.lockTx());
        require(sameLock || !next.terms().direction().isSell(), next, "another lock than " + was.lockTx());
    }

    private boolean isTrue(SwapRow row) {
        if (row.status() == SwapStatus.EXPIRED) {
            return true;
        }
        Outcome outcome = outcome(row.terms());
        return switch (row.status()) {
            case COMPLETED -> outcome.gained();
            case REFUNDED -> outcome.refunded();
            case FAILED -> outcome.locks() == 0;
            default -> false;
        };
    }

    private boolean isPublic(SwapTerms terms) {
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

    /** The pool has so long from our lock's depth on. */
    private boolean isInTime(SwapRow row) {
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
                            && argument(receipt.tx()).equals(hashLock));
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

    /** @param rounds that may have passed since it was judged */
    private boolean isRefundDue(SwapTerms terms, int rounds) {
        return terms.direction().isSell()
                ? ledger().tip().height() - rounds > terms.timeout()
                : chains.evm().head().time() - 10L * rounds >= terms.timeout();
    }

    // What the engine does

    private Optional<Acts> durable(Hash256 hashLock) {
        return journal.row(hashLock).map(SwapRow::acts);
    }

    private void requireDurable(SwapRow row, Predicate<Acts> act, String what) {
        require(durable(row.terms().hashLock()).filter(act).isPresent(), row, what + " before that is durable");
    }

    void locks(SwapRow row) {
        requireDurable(row, Acts::locking, "a lock leaves");
    }

    void pushes(SwapRow row) {
        requireDurable(row, Acts::revealed, "the secret leaves");
    }

    void givesUp(SwapRow row) {
        requireDurable(row, Acts::abandoning, "a lock is given up");
    }

    void takesBack(SwapRow row) {
        require(isRefundDue(row.terms(), 0), row, "a refund leaves before it is due");
        requireDurable(row, Acts::refunding, "a refund leaves");
    }

    // What reaches a node or an endpoint

    /** A question, which any node or endpoint may tell to everybody. */
    void asked(String question, Collection<byte[]> secrets) {
        for (byte[] secret : secrets) {
            if (question.contains(Bytes.wrap(secret).hex())) {
                complain("a question shows the secret of " + Hash256.sha256(secret) + ": " + question);
            }
        }
    }

    /** Any transaction of the account chain. */
    void sent(SignedTransaction tx) {
        if (!tx.from().equals(ourEvm)) {
            return;
        }
        Optional<byte[]> preimage = SwapContract.claimed(tx.data());
        if (preimage.isPresent()) {
            arrives(Hash256.sha256(preimage.get()), Acts::revealed, "our claim " + tx.hash());
        } else if (isCall(tx, SwapContract.refund(Hash256.ZERO).length())) {
            arrives(argument(tx), Acts::refunding, "our refund " + tx.hash());
        } else if (isCall(tx, SwapContract.lock(Hash256.ZERO, ourEvm, 0).length())) {
            arrives(argument(tx), Acts::locking, "our lock " + tx.hash());
            onlyOne(argument(tx), tx.nonce());
        } else {
            boolean toOurselves = tx.to().filter(ourEvm::equals).isPresent()
                    && tx.value().signum() == 0
                    && tx.data().isEmpty();
            if (!toOurselves) {
                complain("something leaves that is no part of a swap: " + tx);
            }
        }
    }

    private static boolean isCall(SignedTransaction tx, int length) {
        return tx.data().length() == length;
    }

    private static Hash256 argument(SignedTransaction tx) {
        return Hash256.of(tx.data().slice(4, 4 + Hash256.LENGTH));
    }

    /** A transaction of the chain, from the daemon. */
    void sent(Transaction tx) {
        Hash256 txId = TransactionCodec.txId(SwapWorld.PROFILE, tx);
        boolean isOfSwap = false;
        for (TxOutput output : tx.outputs()) {
            Optional<HtlcParams> lock = HtlcScript.recognise(output.script());
            if (lock.isPresent()) {
                isOfSwap = true;
                Hash256 hashLock = lock.get().hashLock();
                arrives(hashLock, Acts::locking, "our lock " + txId);
                onlyOne(hashLock, txId);
            }
        }
        for (int i = 0; i < tx.inputs().size(); i++) {
            Optional<HtlcSpend> spend = HtlcWitness.classify(tx.witnesses().get(i));
            if (spend.isPresent()) {
                isOfSwap = true;
                spends(tx.inputs().get(i), spend.get(), txId);
            }
        }
        boolean toOurselves = tx.outputs().stream()
                .allMatch(output -> output.script()
                        .equals(Bytes.wrap(SwapWorld.PROFILE.addressOf(ourKey).toArray())));
        if (!isOfSwap && !toOurselves) {
            complain("something leaves that is no part of a swap: " + tx);
        }
    }

    private void spends(Outpoint lock, HtlcSpend spend, Hash256 txId) {
        if (spend instanceof HtlcSpend.Claim claim) {
            arrives(Hash256.sha256(claim.preimage().toArray()), Acts::revealed, "our claim " + txId);
            return;
        }
        ledger().transaction(lock.txId())
                .flatMap(found -> HtlcScript.recognise(
                        found.tx().outputs().get(Math.toIntExact(lock.index())).script()))
                .ifPresent(params -> {
                    arrives(params.hashLock(), Acts::refunding, "our reclaim " + txId);
                    if (ledger().tip().height() <= params.timeoutHeight()) {
                        complain("our reclaim " + txId + " leaves before it is due");
                    }
                });
    }

    private void arrives(Hash256 hashLock, Predicate<Acts> act, String what) {
        Optional<Acts> durable = durable(hashLock);
        if (durable.filter(act).isEmpty()) {
            complain(what + " is on the wire before that is durable: " + durable);
        }
    }

    private void onlyOne(Hash256 hashLock, Object lock) {
        Set<Object> sent = lockSends.computeIfAbsent(hashLock, any -> ConcurrentHashMap.newKeySet());
        sent.add(lock);
        if (sent.size() > 1) {
            complain("more than one lock under " + hashLock + ": " + sent);
        }
    }

    /** Whether our lock stands although it can be taken back, and nothing is durable of that. */
    boolean owesRefund(SwapRow row) {
        return row.ownLock() instanceof OwnLock.Locked
                && isRefundDue(row.terms(), 0)
                && !row.acts().refunding();
    }

    // What came of it

    /**
     * @param locks how many locks of ours there are
     * @param gained whether the pool's lock was paid to us
     * @param paid whether our lock was claimed
     * @param refunded whether our lock came back
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
                                && lock.value().compareTo(terms.amountOutUnits()) >= 0
                                && lock.isClaimed()),
                slotOurs && slotClaimed,
                slotOurs && slot.state() == SwapContract.State.REFUNDED);
    }

    /** Those of a hash lock. */
    private List<Lock> locks(Hash256 hashLock) {
        return locks().stream()
                .filter(lock -> lock.params().hashLock().equals(hashLock))
                .toList();
    }

    /** All of them. */
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
