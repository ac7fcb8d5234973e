package org.chainwalletd.spend;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;

/**
 * Proof that another transaction spends a coin of ours. The bytes of that transaction must be available and carry a valid signature of the
 * party that may spend the coin: for a plain coin the same key as in our own transaction, for an HTLC the party on whose branch its witness
 * spends. A node's claim alone closes no payment (decisions.md, 8c). Stateless.
 */
final class ReplacementProof {
    /** Maximum number of transactions of one mempool that are examined as possible spenders of the coin. */
    private static final int MAX_WAITING = 16;

    private final NodeClient node;
    private final ChainProfile profile;
    private final Supplier<Optional<Hash256>> genesis;
    private final Executor executor;

    /**
     * @param genesis id of the genesis block that signatures commit to; without it nothing is proved
     */
    ReplacementProof(NodeClient node, ChainProfile profile, Supplier<Optional<Hash256>> genesis, Executor executor) {
        this.node = node;
        this.profile = profile;
        this.genesis = genesis;
        this.executor = executor;
    }

    /** Finds a conflicting transaction that a node has in a block. Never fails: a node that does not answer proves nothing. */
    CompletionStage<Optional<Hash256>> mined(Transaction ours, Outpoint coin) {
        return shown(ours, coin, this::mined);
    }

    /** Finds a conflicting transaction that a node has in its mempool, else in a block. Costs a scan or two at each node. Never fails. */
    CompletionStage<Optional<Hash256>> waiting(Transaction ours, Outpoint coin) {
        return shown(ours, coin, (one, dispute) -> {
            List<Address> parties = dispute.lock().parties(profile);
            return Bounded.first(
                            parties,
                            party -> waiting(one, dispute, party)
                                    .exceptionallyAsync(silent -> Optional.empty(), executor),
                            executor)
                    .thenComposeAsync(
                            found -> found.isPresent() ? CompletableFuture.completedFuture(found) : mined(one, dispute),
                            executor);
        });
    }

    /** Condition under which a coin may be spent. */
    private sealed interface Lock {
        /** Addresses for which a mempool may list the spend. */
        List<Address> parties(ChainProfile profile);

        boolean opens(Witness witness, byte[] message);
    }

    private record KeyLock(PublicKey key) implements Lock {
        @Override
        public List<Address> parties(ChainProfile profile) {
            return List.of(profile.addressOf(key));
        }

        @Override
        public boolean opens(Witness witness, byte[] message) {
            Bytes data = witness.data();
            return data.length() == Witness.PLAIN_LENGTH
                    && Arrays.equals(data.slice(0, PublicKey.LENGTH), key.toArray())
                    && Ed25519.verify(key.toArray(), message, data.slice(PublicKey.LENGTH, data.length()));
        }
    }

    private record HtlcLock(HtlcParams params) implements Lock {
        @Override
        public List<Address> parties(ChainProfile profile) {
            return List.of(profile.addressOf(params.receiver()), profile.addressOf(params.sender()));
        }

        @Override
        public boolean opens(Witness witness, byte[] message) {
            return HtlcWitness.classify(witness)
                    .filter(spend -> !(spend instanceof HtlcSpend.Claim claim)
                            || HtlcWitness.hashLockOf(claim.preimage().toArray())
                                    .equals(params.hashLock()))
                    .filter(spend -> Ed25519.verify(
                            (spend instanceof HtlcSpend.Claim ? params.receiver() : params.sender()).toArray(),
                            message,
                            spend.signature().toArray()))
                    .isPresent();
        }
    }

    /** Coin for which a conflicting transaction is searched. */
    private record Dispute(Hash256 ours, Outpoint coin, Lock lock, Hash256 genesis) {}

    /** Request to one node. */
    private interface Question {
        CompletionStage<Optional<Hash256>> to(NodeClient one, Dispute dispute);
    }

    private CompletionStage<Optional<Hash256>> shown(Transaction ours, Outpoint coin, Question question) {
        int input = ours.inputs().indexOf(coin);
        if (input < 0 || genesis.get().isEmpty()) {
            return none();
        }
        return lockOf(ours.witnesses().get(input), coin)
                .thenComposeAsync(
                        lock -> lock.isEmpty()
                                ? none()
                                : ask(
                                        new Dispute(
                                                TransactionCodec.txId(profile, ours),
                                                coin,
                                                lock.get(),
                                                genesis.get().orElseThrow()),
                                        question),
                        executor)
                .exceptionallyAsync(silent -> Optional.empty(), executor);
    }

    private CompletionStage<Optional<Lock>> lockOf(Witness ours, Outpoint coin) {
        Optional<PublicKey> key = HtlcWitness.plainKey(ours);
        if (key.isPresent()) {
            return CompletableFuture.completedFuture(key.map(KeyLock::new));
        }
        return node.transaction(coin.txId())
                .thenApplyAsync(
                        found -> found.map(shown -> shown.decode(profile).outputs())
                                .filter(outputs -> coin.index() < outputs.size())
                                .flatMap(outputs -> HtlcScript.recognise(
                                        outputs.get((int) coin.index()).script()))
                                .map(HtlcLock::new),
                        executor);
    }

    private CompletionStage<Optional<Hash256>> ask(Dispute dispute, Question question) {
        return Bounded.first(
                node.each(),
                one -> question.to(one, dispute).exceptionallyAsync(silent -> Optional.empty(), executor),
                executor);
    }

    private CompletionStage<Optional<Hash256>> mined(NodeClient one, Dispute dispute) {
        return one.spentBy(dispute.coin())
                .thenComposeAsync(
                        spent -> spent.isPresent() ? proved(one, spent.get().txId(), dispute) : none(), executor);
    }

    private CompletionStage<Optional<Hash256>> waiting(NodeClient one, Dispute dispute, Address party) {
        return one.addressMempool(party)
                .thenComposeAsync(
                        mempool -> Bounded.first(
                                candidates(mempool, dispute), rival -> proved(one, rival, dispute), executor),
                        executor);
    }

    /** Mempools list plain coins as spent; the spend of an HTLC is found by the output that its party receives. */
    private static List<Hash256> candidates(NodeClient.AddressMempool mempool, Dispute dispute) {
        return mempool.entries().stream()
                .filter(entry -> dispute.lock() instanceof HtlcLock
                        ? !entry.received().isEmpty()
                        : entry.spent().stream()
                                .anyMatch(spent -> spent.outpoint().equals(dispute.coin())))
                .map(NodeClient.MempoolEntry::txId)
                .limit(MAX_WAITING)
                .toList();
    }

    private CompletionStage<Optional<Hash256>> proved(NodeClient one, Hash256 rival, Dispute dispute) {
        if (rival.equals(dispute.ours())) {
            return none();
        }
        return one.transaction(rival)
                .thenApplyAsync(
                        found -> found.map(shown -> shown.decode(profile))
                                .filter(tx -> isSigned(tx, dispute))
                                .map(tx -> rival),
                        executor);
    }

    private boolean isSigned(Transaction rival, Dispute dispute) {
        int input = rival.inputs().indexOf(dispute.coin());
        byte[] message = TransactionCodec.signingMessage(
                profile, dispute.genesis(), new Transaction(rival.inputs(), rival.outputs(), List.of()));
        return input >= 0 && dispute.lock().opens(rival.witnesses().get(input), message);
    }

    private static CompletionStage<Optional<Hash256>> none() {
        return CompletableFuture.completedFuture(Optional.empty());
    }
}
