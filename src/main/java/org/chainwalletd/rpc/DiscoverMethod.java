package org.chainwalletd.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code rpc.discover}: the registry describes itself. */
final class DiscoverMethod implements RpcMethod<NoParams, RawJson> {
    private final List<RpcMethod<?, ?>> all;
    private final String version;
    private volatile RawJson document;

    /**
     * @param others every other method
     */
    DiscoverMethod(List<? extends RpcMethod<?, ?>> others, String version) {
        this.all = new ArrayList<>(others);
        this.all.add(this);
        this.version = version;
    }

    @Override
    public String name() {
        return "rpc.discover";
    }

    @Override
    public Scope scope() {
        return Scope.READ;
    }

    @Override
    public String summary() {
        return "Describes all methods as an OpenRPC document.";
    }

    @Override
    public Class<NoParams> params() {
        return NoParams.class;
    }

    @Override
    public Class<RawJson> result() {
        return RawJson.class;
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
