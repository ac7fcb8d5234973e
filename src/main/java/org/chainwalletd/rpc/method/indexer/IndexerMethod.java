package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.NamedMethod;

/** What the methods of this family have in common: read scope, and an indexer that can be missing or fail. */
abstract class IndexerMethod<P extends Record, R> extends NamedMethod<P, R> {
    final IndexerAccess indexer;

    IndexerMethod(String name, String summary, Class<P> params, Class<R> result, IndexerAccess indexer) {
        super(name, Scope.READ, summary, params, result);
        this.indexer = indexer;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.INDEXER_NOT_CONFIGURED, ErrorCode.UPSTREAM);
    }
}
