package org.chainwalletd.rpc.method.read;

import java.util.Optional;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.RpcException;

/** {@link NodeException}s as -32020 with the node's code and words in the text, those about another chain as -32030. */
public final class ReadErrors implements ErrorTranslator {
    @Override
    public Optional<RpcException> translate(Throwable failure) {
        if (failure instanceof NodeException.WrongChain) {
            return Optional.of(new RpcException(ErrorCode.TX_BUILD, failure.getMessage()));
        }
        if (failure instanceof NodeException) {
            return Optional.of(new RpcException(ErrorCode.UPSTREAM, failure.getMessage()));
        }
        return Optional.empty();
    }
}
