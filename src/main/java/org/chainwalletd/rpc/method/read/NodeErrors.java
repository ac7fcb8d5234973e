package org.chainwalletd.rpc.method.read;

import java.util.Optional;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.RpcException;

/**
 * What the nodes fail with: another chain than ours as -32030, everything else as -32020 with the node's code and words in the text
 * (interface.md, sections 7.3 and 7.5).
 */
public final class NodeErrors implements ErrorTranslator {
    @Override
    public Optional<RpcException> translate(Throwable failure) {
        if (failure instanceof NodeException.WrongChain) {
            return Optional.of(new RpcException(ErrorCode.TX_BUILD, "nothing was signed: " + failure.getMessage()));
        }
        if (failure instanceof NodeException) {
            return Optional.of(new RpcException(ErrorCode.UPSTREAM, failure.getMessage()));
        }
        return Optional.empty();
    }

    /** The refusal of a node that was asked for what it does not have. */
    static NodeException.Rejected notFound(String words) {
        return new NodeException.Rejected(ErrorCode.INVALID_PARAMS.code(), words);
    }
}
