package org.chainwalletd.swap.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.SignedTransaction;

/**
 * The judge. It relies on the chains themselves and the file of the journal, never on the engine: each write is judged before it is made, each step
 * before it is taken, and each transaction when it reaches a node or an endpoint, by what is durable at that time. All violations are collected.
 */
public final class SwapTruth {

    final SwapFacts facts;
    private final TwoChains chains;
    private final PublicKey ourKey;
    private final EvmAddress ourEvm;
    private final Map<Hash256, Set<Object>> lockSends = new ConcurrentHashMap<>();
    /** Hash locks whose claims were made durable, in any run. */
    private final Set<Hash256> claims = ConcurrentHashMap.newKeySet();

    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private volatile DurableJournal journal;
    private volatile Consumer<SwapRow> permission = row -> {};

    SwapTruth(TwoChains chains, PublicKey ourKey, EvmAddress ourEvm) {
        this.chains = chains;
        this.ourKey = ourKey;
        this.ourEvm = ourEvm;
        facts = new SwapFacts(chains, ourKey, ourEvm);
    }

    /** Called from the start of the first run on. */
    void believes(DurableJournal durable) {
        journal = durable;
    }

    /** Returns the violations in order. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    private void complain(String what) {
        wrong.add(what);
    }

    boolean isClaimJournalled(String id) {
        return journal.row(id).orElseThrow().acts().claimJournalled();
    }

    private Ledger ledger() {
        return chains.chain().ledger();
    }

    private void require(boolean holds, SwapRow row, String what) {
        if (!holds) {
            wrong.add(row.id() + ": " + what + "; " + row);
        }
    }

    void writes(SwapRow before, SwapRow next) {
        onlyGrow(before, next);
        if (next.acts().claimPermitted() && !before.acts().claimPermitted() && !facts.isPublic(next.terms())) {
            requireOpen(next);
            permission.accept(next);
        }
        if (next.acts().claimJournalled() && !before.acts().claimJournalled()) {
            boolean byRelay = next.acts().claimPermitted() && !before.acts().claimPermitted();
            require(
                    byRelay || claims.contains(next.terms().hashLock()) || facts.isPublic(next.terms()),
                    next,
                    "the row says that a claim is journalled, and there is none");
        }
        if (next.status().isTerminal() && !before.status().isTerminal()) {
            require(isTrue(next), next, "the journal says what is not so");
        }
    }

    /** Sets a callback that receives each permission immediately before it is durable. */
    void onPermission(Consumer<SwapRow> told) {
        permission = told;
    }

    private void requireOpen(SwapRow row) {
        require(
                facts.isGateOpen(row),
                row,
                "the secret may leave, and no gate should be open (" + facts.gate(row) + ")");
        require(!facts.isRefundDue(row.terms(), 1), row, "the secret may leave, and our refund is due");
        require(facts.isInTime(row), row, "the secret may leave for a lock that came too late");
    }

    /** Judges a claim that is about to be durable: for the first one the gate must be open now, not only when it was permitted. */
    void journalsClaim(String id) {
        SwapRow row = journal.row(id).orElseThrow();
        if (!row.acts().claimJournalled() && !claims.contains(row.terms().hashLock()) && !facts.isPublic(row.terms())) {
            require(
                    row.acts().claimPermitted(),
                    row,
                    "a claim is journalled before it is durable that it is permitted");
            requireOpen(row);
        }
        claims.add(row.terms().hashLock());
    }

    /** Requires that decisions are never withdrawn, except a permission, and that there is only one lock. */
    private void onlyGrow(SwapRow before, SwapRow next) {
        Acts was = before.acts();
        Acts is = next.acts();
        boolean grows = (is.expired() || !was.expired())
                && (is.locking() || !was.locking())
                && (is.abandoning() || !was.abandoning())
                && (is.claimJournalled() || !was.claimJournalled())
                && (is.refunding() || !was.refunding());
        require(grows, next, "an act was taken back, from " + was);
        boolean sameLock = was.lockTx().isEmpty() || is.lockTx().equals(was.lockTx());
        require(sameLock || !next.terms().direction().isSell(), next, "another lock than " + was.lockTx());
    }

    private boolean isTrue(SwapRow row) {
        if (row.status() == SwapStatus.EXPIRED) {
            return true;
        }
        SwapFacts.Outcome outcome = facts.outcome(row.terms());
        return switch (row.status()) {
            case COMPLETED -> outcome.gained();
            case REFUNDED -> outcome.refunded() && !outcome.gained();
            case FAILED -> outcome.locks() == 0;
            case LOST -> outcome.paid() && !outcome.gained();
            default -> false;
        };
    }

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
        requireDurable(row, SwapTruth::mayClaim, "a claim is made");
    }

    void givesUp(SwapRow row) {
        requireDurable(row, Acts::abandoning, "a lock is given up");
    }

    void takesBack(SwapRow row) {
        require(facts.isRefundDue(row.terms(), 0), row, "a refund leaves before it is due");
        requireDurable(row, Acts::refunding, "a refund leaves");
    }

    /** Judges a question, which any node or endpoint may pass on to anybody. */
    void asked(String question, Collection<byte[]> secrets) {
        for (byte[] secret : secrets) {
            if (question.contains(Bytes.wrap(secret).hex())) {
                complain("a question shows the secret of " + Hash256.sha256(secret) + ": " + question);
            }
        }
    }

    /** Judges any transaction of the account chain. */
    void sent(SignedTransaction tx) {
        if (!tx.from().equals(ourEvm)) {
            return;
        }
        Optional<byte[]> preimage = SwapContract.claimed(tx.data());
        if (preimage.isPresent()) {
            claims(Hash256.sha256(preimage.get()), "our claim " + tx.hash());
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

    static Hash256 argument(SignedTransaction tx) {
        return Hash256.of(tx.data().slice(4, 4 + Hash256.LENGTH));
    }

    /** Judges a transaction of the chain, sent by the daemon. */
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
            claims(Hash256.sha256(claim.preimage().toArray()), "our claim " + txId);
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

    private static boolean mayClaim(Acts acts) {
        return acts.claimPermitted() || acts.claimJournalled();
    }

    private void claims(Hash256 hashLock, String what) {
        if (!claims.contains(hashLock)) {
            complain(what + " is on the wire, and no journal has a claim under " + hashLock);
        }
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

    /** Tests whether our lock exists although it can be refunded, and no refund is durable. */
    boolean owesRefund(SwapRow row) {
        return row.ownLock() instanceof OwnLock.Locked
                && facts.isRefundDue(row.terms(), 0)
                && !row.acts().refunding();
    }
}
