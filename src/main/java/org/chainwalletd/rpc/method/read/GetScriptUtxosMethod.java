package org.chainwalletd.rpc.method.read;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;

/** {@code get_script_utxos}: the confirmed outputs with exactly one locking script, such as an HTLC. */
final class GetScriptUtxosMethod extends ReadMethod<GetScriptUtxosMethod.Params, UtxoView> {
    public record Params(
            @Doc("Locking script, 1 to 65535 bytes") Bytes scriptHex) {}

    private final NodeClient nodes;
    private final Executor executor;

    GetScriptUtxosMethod(NodeClient nodes, Executor executor) {
        super(
                "get_script_utxos",
                "Confirmed unspent outputs with a locking script, at most 1000; there is no cursor.",
                Params.class,
                UtxoView.class);
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<UtxoView> call(Params params, CallContext context) {
        int length = params.scriptHex().length();
        if (length == 0 || length > ChainProfile.MAX_VAR_BYTES) {
            throw RpcException.invalidParams("`script_hex` must have 1 to 65535 bytes, not " + length);
        }
        return nodes.scriptUtxos(params.scriptHex())
                .thenApplyAsync(listing -> UtxoView.of(null, params.scriptHex(), listing), executor);
    }
}
