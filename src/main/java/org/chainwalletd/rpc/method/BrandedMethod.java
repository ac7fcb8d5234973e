package org.chainwalletd.rpc.method;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.config.Settings.EvmWords;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.wire.Spelling;

/** A method under a second name, with the brand's word for the account chain in it (decisions.md, section 1). */
public final class BrandedMethod<P extends Record, R> implements RpcMethod<P, R> {
    private final RpcMethod<P, R> method;
    private final String name;

    private BrandedMethod(RpcMethod<P, R> method, String name) {
        this.method = method;
        this.name = name;
    }

    /** The methods, and those whose names have the default word once more under the brand's. */
    public static List<RpcMethod<?, ?>> beside(List<RpcMethod<?, ?>> methods, EvmWords words) {
        List<RpcMethod<?, ?>> all = new ArrayList<>(methods);
        for (RpcMethod<?, ?> method : methods) {
            String name = branded(method.name(), words.brand());
            if (!name.equals(method.name())) {
                all.add(new BrandedMethod<>(method, name));
            }
        }
        return all;
    }

    private static String branded(String name, String brand) {
        String word = EvmWords.DEFAULT.brand();
        if (name.startsWith(word + "_")) {
            return brand + name.substring(word.length());
        }
        return name.replace("_" + word + "_", "_" + brand + "_");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Scope scope() {
        return method.scope();
    }

    @Override
    public String summary() {
        return method.summary();
    }

    @Override
    public boolean deprecated() {
        return method.deprecated();
    }

    @Override
    public List<ErrorCode> errors() {
        return method.errors();
    }

    @Override
    public boolean longPoll() {
        return method.longPoll();
    }

    @Override
    public boolean repeatable() {
        return method.repeatable();
    }

    @Override
    public Class<P> params() {
        return method.params();
    }

    @Override
    public Class<R> result() {
        return method.result();
    }

    @Override
    public Spelling spelling() {
        return method.spelling();
    }

    @Override
    public CompletionStage<R> call(P params, CallContext context) {
        return method.call(params, context);
    }
}
