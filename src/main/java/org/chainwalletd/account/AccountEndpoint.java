package org.chainwalletd.account;

import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * One JSON-RPC endpoint. It is asked nothing before it has named the configured chain id, and asked for that anew after each failure to
 * answer; until then every question fails with {@link AccountException.WrongChain} or {@link AccountException.Unreachable}.
 */
public interface AccountEndpoint extends AccountReads {
    /** Host and port, for logs and refusals: a path may hold the operator's access key. */
    String name();

    /**
     * {@code eth_sendRawTransaction}. Completes normally when the endpoint has taken it or has it already, and fails with {@link
     * AccountException.Refused} when it says no. Neither is proof of anything.
     *
     * @param hash of the transaction, which the endpoint must answer
     */
    CompletionStage<Void> send(Bytes raw, Hash256 hash);
}
