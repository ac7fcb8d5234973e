package org.chainwalletd.rpc.method.wait;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.wait.Waits;

/** The family of waits (interface.md, section 4.6). */
public final class WaitMethods {
    private WaitMethods() {}

    /**
     * @param feed of credits
     * @param executor puts answers together
     */
    public static List<RpcMethod<?, ?>> all(Waits waits, CreditFeed feed, CreditOwners owners, Executor executor) {
        return List.of(
                new WaitForTxMethod(waits, executor),
                new WaitForPaymentMethod(waits, feed, owners, executor),
                new ListCreditsMethod(waits, feed, owners, executor));
    }
}
