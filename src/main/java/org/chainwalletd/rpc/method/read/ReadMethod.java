package org.chainwalletd.rpc.method.read;

import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.NamedMethod;

/** What the methods of this family have in common: read scope, and the nodes that can fail. */
abstract class ReadMethod<P extends Record, R> extends NamedMethod<P, R> {
    ReadMethod(String name, String summary, Class<P> params, Class<R> result) {
        super(name, Scope.READ, summary, params, result);
    }

    /** Every read that asks a node can fail as the node or the way to it does. */
    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM);
    }
}
