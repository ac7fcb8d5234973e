package org.chainwalletd.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Scope;
import org.chainwalletd.wire.RawJson;

/** {@code rpc.discover}: the registry describes itself. */
final class DiscoverMethod extends NamedMethod<NoParams, RawJson> {
    private final List<RpcMethod<?, ?>> all;
    private final String version;
    private volatile RawJson document;

    /**
     * @param others every other method
     */
    DiscoverMethod(List<? extends RpcMethod<?, ?>> others, String version) {
        super(
                "rpc.discover",
                Scope.READ,
                "Describes all methods as an OpenRPC document.",
                NoParams.class,
                RawJson.class);
        this.all = new ArrayList<>(others);
        this.all.add(this);
        this.version = version;
    }

    @Override
    public CompletionStage<RawJson> call(NoParams params, CallContext context) {
        RawJson ready = document;
        if (ready == null) {
            ready = new RawJson(OpenRpc.document(all, version).toString());
            document = ready;
        }
        return CompletableFuture.completedFuture(ready);
    }
}
