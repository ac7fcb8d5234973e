package org.chainwalletd.rpc;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.rpc.method.keyring.KeyringMethods;
import org.chainwalletd.rpc.method.read.ReadMethods;
import org.chainwalletd.rpc.method.spend.SpendMethods;

/** Every method of the daemon without the services behind them: enough to describe them, not to call them. */
public final class AllMethods {
    static final String VERSION = "0.0.0";

    private AllMethods() {}

    public static MethodRegistry registry() {
        List<RpcMethod<?, ?>> methods = new ArrayList<>();
        methods.addAll(ReadMethods.all(
                ChainProfile.of("chain"), VERSION, new Nodes(null, null, null), null, null, Runnable::run));
        methods.addAll(KeyringMethods.all(null, null, Runnable::run));
        methods.addAll(SpendMethods.all(null, Runnable::run));
        return MethodRegistry.withDiscovery(methods, VERSION);
    }
}
