package org.chainwalletd.rpc;

import org.chainwalletd.api.Scope;

/**
 * A method that is given what describes it; what is left to write are its errors and the call.
 *
 * @param <P> parameter record
 * @param <R> result record
 */
public abstract class NamedMethod<P extends Record, R> implements RpcMethod<P, R> {
    private final String name;
    private final Scope scope;
    private final String summary;
    private final Class<P> params;
    private final Class<R> result;

    /** @param summary one sentence for the reference page */
    protected NamedMethod(String name, Scope scope, String summary, Class<P> params, Class<R> result) {
        this.name = name;
        this.scope = scope;
        this.summary = summary;
        this.params = params;
        this.result = result;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final Scope scope() {
        return scope;
    }

    @Override
    public final String summary() {
        return summary;
    }

    @Override
    public final Class<P> params() {
        return params;
    }

    @Override
    public final Class<R> result() {
        return result;
    }
}
