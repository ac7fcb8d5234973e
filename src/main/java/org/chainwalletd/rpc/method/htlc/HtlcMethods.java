package org.chainwalletd.rpc.method.htlc;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.htlc.Forgetting;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.rpc.RpcMethod;

/** The family of HTLC methods (interface.md, section 4.8). */
public final class HtlcMethods {
    private HtlcMethods() {}

    /**
     * What the methods talk to.
     *
     * @param records where the read methods look
     * @param count how many HTLCs the local index has
     */
    public record Services(
            HtlcSpends spends, HtlcRecords records, Forgetting forgetting, Supplier<CompletionStage<Long>> count) {
        /** For methods that are only described. */
        public static final Services NONE = new Services(null, null, null, () -> null);
    }

    /** @param executor for turning answers into results: any pool of the daemon */
    public static List<RpcMethod<?, ?>> all(Services services, Executor executor) {
        HtlcSpends spends = services.spends();
        HtlcRecords records = services.records();
        return List.of(
                new HtlcLockMethod(spends, executor),
                new SimulateHtlcLockMethod(spends, executor),
                new HtlcClaimMethod(spends, executor),
                new HtlcReclaimMethod(spends, executor),
                new HtlcStatusMethod(records, executor),
                new HtlcListMethod(records, executor),
                new HtlcLookupByHashlockMethod(records, executor),
                new HtlcForgetMethod(services.forgetting(), executor));
    }
}
