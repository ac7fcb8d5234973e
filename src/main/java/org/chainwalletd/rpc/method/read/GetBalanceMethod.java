package org.chainwalletd.rpc.method.read;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;

/** {@code get_balance}: what is confirmed and spendable by age at one address. */
final class GetBalanceMethod extends ReadMethod<AddressParam, GetBalanceMethod.Result> {
    public record Result(
            Address address,
            @Doc("Confirmed balance in base units") Amount balance) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetBalanceMethod(NodeClient nodes, Executor executor) {
        super(
                "get_balance",
                "Confirmed balance of an address; the mempool is not counted.",
                AddressParam.class,
                Result.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(AddressParam params, CallContext context) {
        return nodes.balance(params.address())
                .thenApplyAsync(balance -> new Result(params.address(), balance), executor);
    }
}
