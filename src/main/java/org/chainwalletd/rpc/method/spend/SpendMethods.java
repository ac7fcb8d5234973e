package org.chainwalletd.rpc.method.spend;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.SpendService;

/** The family of methods that move money (interface.md, section 4.7). */
public final class SpendMethods {
    private SpendMethods() {}

    /**
     * @param executor for turning answers into results: any pool of the daemon
     */
    public static List<RpcMethod<?, ?>> all(SpendService spending, Executor executor) {
        return List.of(
                new TransferMethod(spending, executor),
                new SimulateTransferMethod(spending, executor),
                new SendRawTransactionMethod(spending, executor),
                new AbandonTransferMethod(spending, executor),
                new AllowanceStatusMethod(spending, executor));
    }
}
