package org.chainwalletd.sweep;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.ParameterDigest;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.SweepStore.OwnedCoin;
import org.chainwalletd.store.SweepStore.Part;
import org.chainwalletd.store.SweepStore.Sweep;
import org.chainwalletd.store.TokenBinding;

/**
 * Builds the transaction of one part. Its coins, fee and output were fixed when the sweep began, so every attempt gives the same
 * transaction. Each address that owns one of its coins signs.
 *
 * @param tipHeight height of the tip at which its coins were seen unspent
 */
record SweepPlan(Sweep sweep, Part part, long tipHeight) implements SpendPlan {
    /** Shape of a transaction with this many inputs and one output to an address, without change; determines its minimum fee. */
    static TxShape shape(int coins) {
        return TxShape.EMPTY.plusPlainInputs(coins).plusPlainOutputs(1);
    }

    static BigInteger sum(List<OwnedCoin> coins) {
        return coins.stream().map(each -> each.coin().value().toBigInteger()).reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** The only possible transaction of a part, without its witnesses. */
    static Transaction unsigned(Address to, Part part) {
        TxOutput output = TxOutput.toAddress(to, Amount.of(sum(part.coins())).minus(part.fee()));
        return Transaction.unsigned(
                part.coins().stream().map(each -> each.coin().outpoint()).toList(), List.of(output));
    }

    @Override
    public String kind() {
        return SweepStore.KIND;
    }

    /** Address that signs first. */
    @Override
    public Address from() {
        return part.coins().get(0).owner();
    }

    @Override
    public Optional<TokenBinding> token() {
        ParameterDigest digest = new ParameterDigest(SweepStore.KIND)
                .put(sweep.order().to().toArray())
                .putNumber(part.fee().bits());
        for (OwnedCoin each : part.coins()) {
            digest.put(each.coin().outpoint().txId().toArray())
                    .putNumber(each.coin().outpoint().index());
        }
        return Optional.of(new TokenBinding(SweepStore.partToken(sweep.id(), part.number()), digest.finish()));
    }

    @Override
    public Intent.Details details() {
        return new Intent.Details(
                Optional.of(sweep.order().owner().orElse(PayoutStore.CLASSIC)),
                sweep.order().memo(),
                Optional.empty());
    }

    @Override
    public void check() {
        // The part was cut so that it can be built.
    }

    /** No payout: if a node already had the transaction, the same coins go to the same recipient, no matter which process sent it. */
    @Override
    public boolean isPayout() {
        return false;
    }

    @Override
    public Amount knownFee() {
        return part.fee();
    }

    @Override
    public Amount leaving() {
        return Amount.of(sum(part.coins()));
    }

    @Override
    public Amount leaving(Draft draft) {
        return leaving();
    }

    /** The books have read the coins from bytes, so no node is asked. */
    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        List<NodeClient.Utxo> utxos = part.coins().stream()
                .map(each ->
                        new NodeClient.Utxo(each.coin().outpoint(), each.coin().value(), tipHeight, false, null))
                .toList();
        return CompletableFuture.completedFuture(Candidates.proven(utxos, tipHeight));
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        List<Coin> coins = part.coins().stream().map(OwnedCoin::coin).toList();
        List<Coin> held = coins.stream()
                .filter(coin -> holdings.reserved().test(coin.outpoint())
                        || holdings.excluded().contains(coin.outpoint()))
                .toList();
        if (!held.isEmpty()) {
            throw new SpendException(new SpendRefusal.InFlightExhausted(new SpendRefusal.Shortage(
                    leaving(),
                    Amount.ZERO,
                    coins.size() - held.size(),
                    Amount.of(held.stream()
                            .map(coin -> coin.value().toBigInteger())
                            .reduce(BigInteger.ZERO, BigInteger::add)),
                    held.size(),
                    false,
                    false)));
        }
        return new Draft(
                unsigned(sweep.order().to(), part),
                coins,
                part.fee(),
                OptionalInt.empty(),
                shape(coins.size()),
                tipHeight,
                false,
                1);
    }

    @Override
    public List<Address> signers(Draft draft) {
        return part.coins().stream().map(OwnedCoin::owner).distinct().toList();
    }

    @Override
    public List<Witness> witnesses(Draft draft, List<Signer.Signature> signatures) {
        List<Address> signers = signers(draft);
        Map<Address, Witness> bySigner = new HashMap<>();
        for (int i = 0; i < signers.size(); i++) {
            Signer.Signature signature = signatures.get(i);
            bySigner.put(signers.get(i), Witness.plain(signature.publicKey(), signature.bytes()));
        }
        List<Witness> witnesses = new ArrayList<>();
        part.coins().forEach(each -> witnesses.add(bySigner.get(each.owner())));
        return witnesses;
    }
}
