package org.chainwalletd.rpc.method.read;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;

/** {@code get_address_utxos}: the confirmed outputs of an address, at most 1000, as the node lists them. */
final class GetAddressUtxosMethod extends ReadMethod<AddressParam, UtxoView> {
    private final NodeClient nodes;
    private final Executor executor;

    GetAddressUtxosMethod(NodeClient nodes, Executor executor) {
        super(
                "get_address_utxos",
                "Confirmed unspent outputs of an address, at most 1000; there is no cursor.",
                AddressParam.class,
                UtxoView.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<UtxoView> call(AddressParam params, CallContext context) {
        return nodes.addressUtxos(params.address())
                .thenApplyAsync(listing -> UtxoView.of(params.address(), null, listing), executor);
    }
}
