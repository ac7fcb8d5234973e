package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
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
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.U64;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.ReturningPlan;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.TokenBinding;

/**
 * Plan that claims or reclaims one HTLC output: one input, and one output of the locked value minus the fee to the party's own address. Before
 * anything is built, the output is authenticated against the script rebuilt from the parameters, and its value is taken from bytes whose
 * transaction id was computed.
 *
 * @param params expected parameters of the HTLC
 * @param rival address whose pending reclaim a claim must not race, since the claim would publish its preimage in vain: the sender's, unless its
 * key is in this daemon, whose own reclaim has the output reserved. Empty for a reclaim, which has nothing to lose
 * @param proven output that our own books have in a block, so that no node is queried; empty when the nodes have to return it
 * @param sightings source of the locks in blocks of the followed chain, so that no single node decides whether a preimage is published
 */
record RedeemPlan(
        Redemption request,
        HtlcParams params,
        Optional<Address> rival,
        Optional<Proven> proven,
        ChainProfile profile,
        ChainIdentity identity,
        Sightings sightings)
        implements ReturningPlan {
    /**
     * Output that our own books have in a block.
     *
     * @param output from bytes whose transaction id was computed
     * @param tipHeight of the followed tip
     * @param permission evaluated immediately before the spend is durable; if false, it is refused
     */
    record Proven(TxOutput output, long tipHeight, BooleanSupplier permission) {}

    @Override
    public String kind() {
        return request.kind();
    }

    @Override
    public Address from() {
        return request.from();
    }

    @Override
    public Optional<TokenBinding> token() {
        return request.clientToken().map(token -> new TokenBinding(token, request.digest()));
    }

    @Override
    public Amount fee() {
        return request.effectiveFee();
    }

    @Override
    public Optional<Amount> maxFee() {
        return request.maxFee();
    }

    @Override
    public TxShape shape() {
        return request.shape();
    }

    /** Checks a proven output against the script rebuilt from the parameters, which are what is signed for. */
    @Override
    public void check() {
        ReturningPlan.super.check();
        if (proven.isPresent()) {
            TxOutput output = proven.get().output();
            if (!output.script().equals(HtlcScript.build(params))
                    || output.datum() != null
                    || output.datumHash() != null) {
                throw new SpendException(new SpendRefusal.BuildFailed(
                        "the output is not the HTLC of these parameters; nothing was broadcast"));
            }
        }
    }

    @Override
    public boolean mayBegin() {
        return proven.map(Proven::permission).map(BooleanSupplier::getAsBoolean).orElse(true);
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        if (proven.isPresent()) {
            return CompletableFuture.completedFuture(
                    candidates(proven.get().output(), proven.get().tipHeight()));
        }
        return node.tip()
                .thenCombineAsync(sightings.followedHeight(), RedeemPlan::higher, executor)
                .thenComposeAsync(
                        height -> {
                            requireTimeout(height);
                            return authenticated(node, executor)
                                    .thenComposeAsync(
                                            output -> waitingReclaim(height, node, executor)
                                                    .thenApplyAsync(
                                                            spent -> {
                                                                spent.ifPresent(this::refuseWaiting);
                                                                return output;
                                                            },
                                                            executor),
                                            executor)
                                    .thenApplyAsync(output -> candidates(output, height), executor);
                        },
                        executor);
    }

    /** Returns the higher height: a node that reports less than the followed chain lags, and the daemon itself lags while it catches up. */
    private static long higher(NodeClient.Tip node, OptionalLong followed) {
        long known = followed.orElse(0);
        return Long.compareUnsigned(node.height(), known) > 0 ? node.height() : known;
    }

    private void requireTimeout(long height) {
        if (request instanceof ReclaimRequest && !params.reclaimableInBlock(height)) {
            throw new RefusedException(
                    ErrorCode.TIMEOUT_NOT_REACHED,
                    "the timeout is not reached: the chain is at height " + U64.toString(height)
                            + ", a reclaim needs a height above " + U64.toString(params.timeoutHeight()));
        }
    }

    private CompletionStage<TxOutput> authenticated(NodeClient node, Executor executor) {
        Outpoint lock = request.lock();
        LockTransactions transactions = new LockTransactions(profile, node, executor);
        return transactions
                .find(lock)
                .thenComposeAsync(
                        found -> {
                            TxOutput output = found.authenticated(lock, params);
                            LockTransactions.requireConfirmed(lock, found);
                            return agreed(transactions, executor)
                                    .thenComposeAsync(done -> spends(node, executor), executor)
                                    .thenComposeAsync(spends -> spends.find(lock, params), executor)
                                    .thenApplyAsync(
                                            spent -> {
                                                spent.ifPresent(this::refuseSpent);
                                                return output;
                                            },
                                            executor);
                        },
                        executor);
    }

    /** Fails when a claim would publish its preimage because of the answers of only some of the nodes. */
    private CompletionStage<Void> agreed(LockTransactions transactions, Executor executor) {
        Outpoint lock = request.lock();
        if (request instanceof ReclaimRequest) {
            return CompletableFuture.completedFuture(null);
        }
        return sightings
                .isInBlock(lock)
                .thenComposeAsync(
                        there -> there
                                ? CompletableFuture.completedFuture(true)
                                : transactions.isInBlockForAll(lock.txId()),
                        executor)
                .thenAcceptAsync(agreed -> LockTransactions.requireAgreed(lock, agreed), executor);
    }

    private CompletionStage<PriorSpend> spends(NodeClient node, Executor executor) {
        return identity.genesisForSigning()
                .thenApplyAsync(genesis -> new PriorSpend(profile, genesis, node, executor), executor);
    }

    /** Searches mempools for a reclaim, which they accept only at and above the timeout. */
    private CompletionStage<Optional<Hash256>> waitingReclaim(long height, NodeClient node, Executor executor) {
        if (rival.isEmpty() || !params.reclaimableInBlock(height + 1)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return spends(node, executor)
                .thenComposeAsync(spends -> spends.waiting(request.lock(), rival.get(), params), executor);
    }

    private void refuseWaiting(Hash256 spender) {
        throw new SpendException(
                new SpendRefusal.DoubleSpend(
                        spender,
                        "the HTLC output " + request.lock() + " is being taken back by " + spender
                                + ", which waits in the mempool: a claim would publish its preimage in vain; nothing was broadcast"));
    }

    private void refuseSpent(Hash256 spender) {
        throw new SpendException(new SpendRefusal.DoubleSpend(
                spender,
                "the HTLC output " + request.lock() + " is spent already, by " + spender + "; nothing was broadcast"));
    }

    /** Returns the single output that can be spent, with its proved value. */
    private Candidates candidates(TxOutput output, long tipHeight) {
        NodeClient.Utxo utxo = new NodeClient.Utxo(request.lock(), output.value(), tipHeight, false, HtlcScript.LENGTH);
        return Candidates.proven(List.of(utxo), tipHeight);
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        Coin coin = new Coin(request.lock(), candidates.utxos().get(0).value());
        if (holdings.reserved().test(coin.outpoint()) || holdings.excluded().contains(coin.outpoint())) {
            throw ReturningPlan.held(coin);
        }
        requireWorth(coin.value(), fee());
        return draft(coin, candidates.tipHeight());
    }

    private static void requireWorth(Amount locked, Amount fee) {
        if (locked.isLessThan(Redemption.leastWorth(fee))) {
            throw new SpendException(new SpendRefusal.BuildFailed("the HTLC holds " + locked
                    + " base units: a fee of " + fee + " leaves less than the dust threshold of "
                    + ChainProfile.DUST_THRESHOLD + "; nothing was broadcast"));
        }
    }

    @Override
    public List<Witness> witnesses(Draft draft, Signer.Signature signature) {
        return List.of(request.witness(signature.bytes()));
    }

    /**
     * Check whether an HTLC output is already spent, made before anything is built: a claim that cannot confirm would still publish its preimage,
     * which the holder of a swap's other leg could use. A node's answer alone refuses nothing: the spending transaction must carry the signature of
     * the party to which its witness belongs. Absence of a spend at a node proves nothing, and the spend proceeds.
     */
    private record PriorSpend(ChainProfile profile, Hash256 genesis, NodeClient node, Executor executor) {
        /** Maximum number of the sender's mempool transactions that are examined. */
        private static final int MOST_WAITING = 16;

        /** Returns the transaction that is proved to have spent {@code lock}. Never fails. */
        CompletionStage<Optional<Hash256>> find(Outpoint lock, HtlcParams params) {
            return node.spentBy(lock)
                    .thenComposeAsync(
                            spent -> spent.isEmpty()
                                    ? CompletableFuture.completedFuture(Optional.<Hash256>empty())
                                    : proved(spent.get().txId(), lock, params),
                            executor)
                    .exceptionallyAsync(unknown -> Optional.empty(), executor);
        }

        /**
         * Returns a reclaim in a mempool that pays the sender's own address, as reclaims of daemons do; one that pays elsewhere is not found. Never
         * fails.
         */
        CompletionStage<Optional<Hash256>> waiting(Outpoint lock, Address sender, HtlcParams params) {
            return node.addressMempool(sender)
                    .thenComposeAsync(
                            mempool -> Bounded.first(
                                    mempool.entries().stream()
                                            .filter(entry -> !entry.received().isEmpty())
                                            .map(NodeClient.MempoolEntry::txId)
                                            .limit(MOST_WAITING)
                                            .toList(),
                                    spender -> proved(spender, lock, params),
                                    executor),
                            executor)
                    .exceptionallyAsync(unknown -> Optional.empty(), executor);
        }

        private CompletionStage<Optional<Hash256>> proved(Hash256 spender, Outpoint lock, HtlcParams params) {
            return node.transaction(spender)
                    .thenApplyAsync(
                            found -> found.filter(tx -> isSpend(tx.bytes().toArray(), spender, lock, params))
                                    .map(tx -> spender),
                            executor);
        }

        private boolean isSpend(byte[] bytes, Hash256 spender, Outpoint lock, HtlcParams params) {
            try {
                Transaction tx = TransactionCodec.decode(bytes);
                int input = tx.inputs().indexOf(lock);
                return input >= 0
                        && TransactionCodec.txId(profile, tx).equals(spender)
                        && HtlcWitness.classify(tx.witnesses().get(input))
                                .filter(spend -> isSigned(tx, spend, params))
                                .isPresent();
            } catch (DecodeException e) {
                return false;
            }
        }

        private boolean isSigned(Transaction tx, HtlcSpend spend, HtlcParams params) {
            PublicKey party = spend instanceof HtlcSpend.Claim ? params.receiver() : params.sender();
            byte[] message = TransactionCodec.signingMessage(
                    profile, genesis, new Transaction(tx.inputs(), tx.outputs(), List.of()));
            return Ed25519.verify(party.toArray(), message, spend.signature().toArray());
        }
    }
}
