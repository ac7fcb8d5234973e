package org.chainwalletd.rpc.method;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.swap.pool.Pool.PoolException;

/**
 * Translator of failures of the nodes, of the account chain's endpoints and of the pool: a refusal to sign for another chain becomes -32030,
 * everything else -32020, with the upstream's message if there is one (interface.md, sections 7.3 and 7.5; swap.md, section 4).
 */
public final class UpstreamErrors implements ErrorTranslator {
    /** Listed kind by kind, so that a new kind becomes an internal error instead of silently counting as an error of the node. */
    static final Map<Class<? extends NodeException>, Function<NodeException, RefusedException>> BY_KIND = Map.of(
            NodeException.Rejected.class, UpstreamErrors::upstream,
            NodeException.Unreachable.class, UpstreamErrors::upstream,
            NodeException.BadAnswer.class, UpstreamErrors::upstream,
            NodeException.WrongChain.class, UpstreamErrors::wrongChain);

    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        if (failure instanceof AccountException || failure instanceof PoolException) {
            return Optional.of(upstream(failure));
        }
        return Optional.ofNullable(BY_KIND.get(failure.getClass())).map(known -> known.apply((NodeException) failure));
    }

    private static RefusedException upstream(Throwable failure) {
        return new RefusedException(ErrorCode.UPSTREAM, failure.getMessage());
    }

    private static RefusedException wrongChain(NodeException failure) {
        return ((NodeException.WrongChain) failure).isAboutSigning()
                ? new RefusedException(ErrorCode.TX_BUILD, "nothing was signed: " + failure.getMessage())
                : upstream(failure);
    }

    /** Creates the refusal of a node that does not have the requested object. */
    static NodeException.Rejected notFound(String words) {
        return new NodeException.Rejected(ErrorCode.INVALID_PARAMS.code(), words);
    }
}
