package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.rpc.RpcMethod;

/** The family of reads (interface.md, section 4.5). */
public final class ReadMethods {
    private ReadMethods() {}

    /**
     * @param version of the daemon, for {@code get_status}
     * @param coins asked for balances and listings of addresses
     * @param keys all of the keyring, from memory
     * @param executor puts answers together
     */
    public static List<RpcMethod<?, ?>> all(
            ChainProfile profile,
            String version,
            Nodes nodes,
            NodeClient coins,
            Supplier<List<KeyEntry>> keys,
            InFlight inFlight,
            Executor executor) {
        NodeClient client = nodes.client();
        return List.of(
                new PingMethod(),
                new ValidateAddressMethod(),
                new GetStatusMethod(version, nodes, keys, inFlight, executor),
                new GetBlockHeightMethod(client, executor),
                new GetBlockByIdMethod(client, executor),
                new GetBlockByHeightMethod(client, executor),
                new GetBlockIdAtHeightMethod(client, executor),
                new GetBlockMethod(client, executor),
                new GetTransactionMethod(profile, client, executor),
                new GetBalanceMethod(coins, executor),
                new GetWalletBalanceMethod(coins, keys, executor),
                new GetAddressUtxosMethod(coins, executor),
                new GetScriptUtxosMethod(client, executor),
                new GetAddressMempoolMethod(client, executor));
    }
}
