package org.chainwalletd.rpc.method.wait;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.wait.Waits;

/** The family of waits (interface.md, section 4.6). */
public final class WaitMethods {
    private WaitMethods() {}

    /**
     * @param executor puts answers together
     */
    public static List<RpcMethod<?, ?>> all(Waits waits, Executor executor) {
        return List.of(new WaitForTxMethod(waits, executor), new WaitForPaymentMethod(waits, executor));
    }
}
