package org.chainwalletd.spend.plan;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.TokenBinding;

/**
 * Pays one coin of an address back to the same address, so that an earlier spend of that coin can never confirm once this one has. The same
 * parameters always give the same transaction. Made only by the daemon itself; no cap refuses it.
 *
 * @param coin coin whose value was verified when it was chosen for the earlier spend
 * @param builtAtHeight height at which the earlier spend was built
 */
public record ReturnPlan(
        String kind, Address from, Coin coin, Amount fee, long builtAtHeight, Optional<TokenBinding> token)
        implements ReturningPlan {
    private static final TxShape SHAPE = TxShape.EMPTY.plusPlainInputs(1).plusPlainOutputs(1);

    /** Smallest fee of a return in base units. */
    public static Amount minimumFee() {
        return SHAPE.minimumFee();
    }

    /** Fee of a return for this choice, in base units. */
    public static Amount fee(FeeChoice choice) {
        return choice.feeOf(SHAPE);
    }

    @Override
    public Optional<Amount> maxFee() {
        return Optional.empty();
    }

    @Override
    public TxShape shape() {
        return SHAPE;
    }

    @Override
    public void check() {
        if (coin.value().isLessThan(fee) || coin.value().minus(fee).isLessThan(ChainProfile.DUST_THRESHOLD)) {
            throw new SpendException(new SpendRefusal.BuildFailed("the coin holds " + coin.value()
                    + " base units: a fee of " + fee + " leaves less than the dust threshold"));
        }
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        NodeClient.Utxo utxo = new NodeClient.Utxo(coin.outpoint(), coin.value(), builtAtHeight, false, null);
        return CompletableFuture.completedFuture(Candidates.proven(List.of(utxo), builtAtHeight));
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        if (holdings.reserved().test(coin.outpoint())) {
            throw ReturningPlan.held(coin);
        }
        return draft(coin, builtAtHeight);
    }
}
