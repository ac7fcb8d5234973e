package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.U32;

/** {@code get_address_mempool}: the unconfirmed transactions that pay or spend an address (decisions.md, section 2). */
final class GetAddressMempoolMethod extends ReadMethod<AddressParam, GetAddressMempoolMethod.Result> {
    public record Result(Address address, long tipHeight, List<Entry> mempool) {}

    public record Entry(Hash256 txId, List<Received> received, List<Spent> spent) {}

    public record Received(@U32 long outputIndex, Amount value) {}

    public record Spent(Hash256 txId, @U32 long outputIndex, Amount value) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetAddressMempoolMethod(NodeClient nodes, Executor executor) {
        super(
                "get_address_mempool",
                "Unconfirmed transactions that pay or spend an address.",
                AddressParam.class,
                Result.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(AddressParam params, CallContext context) {
        return nodes.addressMempool(params.address())
                .thenApplyAsync(
                        mempool -> new Result(
                                params.address(),
                                mempool.tipHeight(),
                                mempool.entries().stream()
                                        .map(GetAddressMempoolMethod::entry)
                                        .toList()),
                        executor);
    }

    private static Entry entry(NodeClient.MempoolEntry entry) {
        return new Entry(
                entry.txId(),
                entry.received().stream()
                        .map(one -> new Received(one.outputIndex(), one.value()))
                        .toList(),
                entry.spent().stream()
                        .map(one ->
                                new Spent(one.outpoint().txId(), one.outpoint().index(), one.value()))
                        .toList());
    }
}
