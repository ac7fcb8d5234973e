package org.chainwalletd.rpc.method.read;

import java.util.List;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** What the methods of this family have in common: read scope, and fixed names and types. */
abstract class ReadMethod<P extends Record, R> implements RpcMethod<P, R> {
    private final String name;
    private final String summary;
    private final Class<P> params;
    private final Class<R> result;

    ReadMethod(String name, String summary, Class<P> params, Class<R> result) {
        this.name = name;
        this.summary = summary;
        this.params = params;
        this.result = result;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Scope scope() {
        return Scope.READ;
    }

    @Override
    public String summary() {
        return summary;
    }

    /** Every read that asks a node can fail as the node or the way to it does. */
    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM);
    }

    @Override
    public Class<P> params() {
        return params;
    }

    @Override
    public Class<R> result() {
        return result;
    }
}
