package org.chainwalletd.rpc.method.htlc;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.rpc.RpcMethod;

/** The family of HTLC methods (interface.md, section 4.8). */
public final class HtlcMethods {
    private HtlcMethods() {}

    /** @param executor for turning answers into results: any pool of the daemon */
    public static List<RpcMethod<?, ?>> all(HtlcSpends htlcs, Executor executor) {
        return List.of(
                new HtlcLockMethod(htlcs, executor),
                new SimulateHtlcLockMethod(htlcs, executor),
                new HtlcClaimMethod(htlcs, executor),
                new HtlcReclaimMethod(htlcs, executor));
    }
}
