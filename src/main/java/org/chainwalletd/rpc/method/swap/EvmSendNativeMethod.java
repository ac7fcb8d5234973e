package org.chainwalletd.rpc.method.swap;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.SendKind;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.account.SendState;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.rpc.method.spend.SpendOptions;

/** {@code evm_send_native}: pays the native asset of the account chain, once for each token. */
final class EvmSendNativeMethod extends NamedMethod<SwapParams.Send, SwapResults.Sent> {
    private static final String ALL = "max";
    private static final int RANDOM_BYTES = 16;

    private final Optional<AccountMethods.Services> services;
    private final Executor executor;
    private final SecureRandom random = new SecureRandom();

    EvmSendNativeMethod(Optional<AccountMethods.Services> services, Executor executor) {
        super(
                "evm_send_native",
                Scope.SPEND,
                "Pays out of the account-chain key, and never from what open swaps need for gas. The transaction is durable before it leaves, sent again until it is final, and replaced by one that pays more when it is stuck: the hash may change, evm_tx_history has the one that counts. Refused without --evm-rpc.",
                SwapParams.Send.class,
                SwapResults.Sent.class);
        this.services = services;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(
                ErrorCode.NO_EVM_KEY,
                ErrorCode.UPSTREAM,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<SwapResults.Sent> call(SwapParams.Send params, CallContext context) {
        EvmAddress to = address(params.to());
        SendValue value = params.amount().equals(ALL) ? new SendValue.All() : SendValue.exactly(wei(params.amount()));
        Optional<String> token = SpendOptions.token(params.clientToken());
        AccountMethods.Services account = AccountMethods.require(services);
        return AccountMethods.withKey(
                account,
                executor,
                from -> account.sends()
                        .send(request(from, to, value, token))
                        .thenApplyAsync(sent -> result(sent, token.isPresent()), executor));
    }

    private SendRequest request(EvmAddress from, EvmAddress to, SendValue value, Optional<String> token) {
        return new SendRequest(
                token.map(AccountErrors::reference).orElseGet(this::unique),
                SendKind.SEND,
                from,
                to,
                value,
                Bytes.EMPTY,
                new SendRequest.Gas.Estimated(),
                Optional.empty(),
                SendRequest.Pushing.BY_ITSELF,
                Optional.empty());
    }

    private String unique() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return "send/" + HexFormat.of().formatHex(bytes);
    }

    private static EvmAddress address(String text) {
        try {
            EvmAddress address = EvmAddress.parse(text);
            if (address.isZero()) {
                throw RpcException.invalidParams("`to` is the zero address: what is sent there is lost");
            }
            return address;
        } catch (IllegalArgumentException e) {
            throw RpcException.invalidParams("`to`: " + e.getMessage());
        }
    }

    private static BigInteger wei(String amount) {
        try {
            return WeiAmounts.parse(amount);
        } catch (IllegalArgumentException e) {
            throw RpcException.invalidParams("`amount`: " + e.getMessage());
        }
    }

    private static SwapResults.Sent result(SendRecord sent, boolean withToken) {
        String hash = "0x" + sent.hash().hex();
        SendState state = sent.state();
        if (state instanceof SendState.Journalled) {
            throw new RpcException(
                    ErrorCode.UPSTREAM,
                    "the outcome of transaction " + hash + " is unknown, no endpoint of the account chain has taken it"
                            + " yet, and the daemon goes on sending it: "
                            + (withToken
                                    ? "call again with the same client_token, it never makes a second one"
                                    : "look at evm_tx_history before paying again"));
        }
        if (state.isOver() && !(state instanceof SendState.Final)) {
            throw new RpcException(
                    ErrorCode.TX_BUILD, "transaction " + hash + " is " + state.word() + ": nothing was paid by it");
        }
        return new SwapResults.Sent(hash);
    }
}
