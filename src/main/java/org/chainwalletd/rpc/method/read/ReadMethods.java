package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.rpc.RpcMethod;

/** The methods of this package. */
public final class ReadMethods {
    private ReadMethods() {}

    /**
     * @param version of the daemon, for {@code get_status}
     * @param executor puts answers together
     */
    public static List<RpcMethod<?, ?>> all(
            ChainProfile profile, String version, Nodes nodes, ManagedKeys keys, InFlight inFlight, Executor executor) {
        NodeClient client = nodes.client();
        return List.of(
                new Ping(),
                new ValidateAddress(),
                new GetStatus(version, nodes, keys, inFlight, executor),
                new GetBlockHeight(client, executor),
                new GetBlockById(client, executor),
                new GetBlockByHeight(client, executor),
                new GetBlockIdAtHeight(client, executor),
                new GetBlock(client, executor),
                new GetTransaction(profile, client, executor),
                new GetBalance(client, executor),
                new GetWalletBalance(client, keys, executor),
                new GetAddressUtxos(client, executor),
                new GetScriptUtxos(client, executor),
                new GetAddressMempool(client, executor));
    }
}
