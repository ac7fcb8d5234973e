package org.chainwalletd.rpc.method.message;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.rpc.RpcMethod;

/** The family of methods for signed messages (interface.md, section 4.9). */
public final class MessageMethods {
    private MessageMethods() {}

    /** @param executor verifies, and turns answers into results: a pool for computations */
    public static List<RpcMethod<?, ?>> all(TextMessages messages, Executor executor) {
        return List.of(new SignMessageMethod(messages, executor), new VerifyMessageMethod(messages, executor));
    }
}
