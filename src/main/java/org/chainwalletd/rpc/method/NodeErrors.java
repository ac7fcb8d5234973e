package org.chainwalletd.rpc.method;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.ErrorTranslator;

/**
 * Translates failures of the nodes: a signature for another chain than ours as -32030, everything else as -32020 with the node's code and text
 * (interface.md, sections 7.3 and 7.5).
 */
public final class NodeErrors implements ErrorTranslator {
    /** Each kind by itself: a new one that nobody has thought about is an internal error, not silently one of the node's. */
    static final Map<Class<? extends NodeException>, Function<NodeException, RefusedException>> BY_KIND = Map.of(
            NodeException.Rejected.class, NodeErrors::upstream,
            NodeException.Unreachable.class, NodeErrors::upstream,
            NodeException.BadAnswer.class, NodeErrors::upstream,
            NodeException.WrongChain.class, NodeErrors::wrongChain);

    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        return Optional.ofNullable(BY_KIND.get(failure.getClass())).map(known -> known.apply((NodeException) failure));
    }

    private static RefusedException upstream(NodeException failure) {
        return new RefusedException(ErrorCode.UPSTREAM, failure.getMessage());
    }

    private static RefusedException wrongChain(NodeException failure) {
        return ((NodeException.WrongChain) failure).isAboutSigning()
                ? new RefusedException(ErrorCode.TX_BUILD, "nothing was signed: " + failure.getMessage())
                : upstream(failure);
    }

    /** The refusal of a node that was asked for what it does not have. */
    static NodeException.Rejected notFound(String words) {
        return new NodeException.Rejected(ErrorCode.INVALID_PARAMS.code(), words);
    }
}
