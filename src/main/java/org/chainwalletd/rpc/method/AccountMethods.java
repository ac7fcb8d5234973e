package org.chainwalletd.rpc.method;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.chainwalletd.access.Grant;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.TokenBalance;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.EvmAccount;
import org.chainwalletd.api.EvmAccount.EvmGetBalances;
import org.chainwalletd.api.EvmAccount.EvmSendNative;
import org.chainwalletd.api.EvmAccount.EvmTxHistory;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyRefusal;
import org.chainwalletd.keyring.evm.EvmKeys;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.stage.Blocking;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.AccountSendStore;

/**
 * Handlers of the methods of {@link EvmAccount} that query the account chain or send on it.
 *
 * @param services empty in a daemon without an account chain, which refuses each call
 */
public record AccountMethods(Optional<Services> services, Executor executor) {
    private static final String ALL = "max";
    private static final int RANDOM_BYTES = 16;
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,60}(\\.[0-9]{1,18})?");
    private static final int DECIMALS = 18;
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final long MILLIS = 1_000;

    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * @param tokens contracts whose balances are shown
     * @param threads bounded pool for tasks that block on endpoints
     */
    public record Services(
            AccountChain chain, AccountSends sends, EvmKeys keys, List<EvmAddress> tokens, Executor threads) {
        public Services {
            tokens = List.copyOf(tokens);
        }
    }

    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(EvmGetBalances.class, this::balances),
                RpcMethod.of(EvmTxHistory.class, this::history),
                RpcMethod.of(EvmSendNative.class, this::send));
    }

    /** @throws RefusedException when there is no account chain */
    private Services account() {
        return services.orElseThrow(() -> RefusedException.invalidParams(
                "account chain not configured: this daemon was started without --evm-rpc"));
    }

    /** Calls {@code then} with the current key's address; fails if there is no key. */
    private <T> CompletionStage<T> withKey(Services account, Function<EvmAddress, CompletionStage<T>> then) {
        return account.keys()
                .current()
                .thenComposeAsync(
                        address -> address.map(then)
                                .orElseGet(() ->
                                        CompletableFuture.failedFuture(new RefusedException(EvmKeyRefusal.noKey()))),
                        executor);
    }

    /** Queries the native balance from the quorum, and the balance of each configured token from one endpoint. */
    private CompletionStage<EvmGetBalances.Result> balances(EvmGetBalances call) {
        Services account = account();
        return withKey(account, address -> Work.on(account.threads(), () -> balances(account, address)));
    }

    private static EvmGetBalances.Result balances(Services account, EvmAddress address) {
        List<CompletionStage<TokenBalance>> tokens = account.tokens().stream()
                .map(token -> account.chain().asked(reads -> TokenBalance.read(reads, token, address)))
                .toList();
        AccountFunds funds = account.sends().funds(address);
        return result(address, funds, tokens.stream().map(Blocking::await).toList());
    }

    private static EvmGetBalances.Result result(EvmAddress address, AccountFunds funds, List<TokenBalance> tokens) {
        return new EvmGetBalances.Result(
                address.toString(),
                funds.balance().toString(),
                funds.reserved().toString(),
                tokens.stream()
                        .map(token -> new EvmGetBalances.Token(
                                token.token().toString(),
                                token.symbol(),
                                token.decimals(),
                                token.balance().toString()))
                        .toList());
    }

    private CompletionStage<EvmTxHistory.Result> history(EvmTxHistory call) {
        Services account = account();
        long limit = call.limit().orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw RefusedException.invalidParams("limit is 1 to " + MAX_LIMIT);
        }
        BigInteger chainId = account.chain().chainId();
        return account.sends()
                .history(call.cursor().map(AccountMethods::before).orElse(Long.MAX_VALUE), (int) limit)
                .thenApplyAsync(page -> result(chainId, page), executor);
    }

    private static long before(String cursor) {
        try {
            long before = Long.parseLong(cursor);
            if (before > 0) {
                return before;
            }
        } catch (NumberFormatException e) {
            throw RefusedException.invalidParams("the cursor is none of an earlier answer");
        }
        throw RefusedException.invalidParams("the cursor is none of an earlier answer");
    }

    private static EvmTxHistory.Result result(BigInteger chainId, AccountSends.Page page) {
        return new EvmTxHistory.Result(
                chainId.longValueExact(),
                page.records().stream().map(AccountMethods::sentTransaction).toList(),
                page.next().map(String::valueOf));
    }

    private static EvmTxHistory.SentTransaction sentTransaction(SendRecord sent) {
        return new EvmTxHistory.SentTransaction(
                "0x" + sent.hash().hex(),
                sent.from().equals(sent.to()) ? "self" : "out",
                sent.kind().word(),
                sent.from().toString(),
                sent.to().toString(),
                sent.value().toString(),
                sent.state().word(),
                sent.createdAt() / MILLIS,
                sent.updatedAt() / MILLIS);
    }

    /** Pays the native asset, at most once per client token. */
    private CompletionStage<EvmSendNative.Result> send(EvmSendNative call, CallContext context) {
        EvmAddress to = address(call.to());
        SendValue value = call.amount().equals(ALL) ? new SendValue.All() : SendValue.exactly(wei(call.amount()));
        Optional<String> token = SpendOptions.token(call.clientToken());
        Services account = account();
        return withKey(
                account,
                from -> account.sends()
                        .send(request(from, to, value, token, context))
                        .handleAsync((sent, failure) -> sent(Outcome.of(sent, failure), context.grant()), executor)
                        .thenApplyAsync(sent -> result(sent, token.isPresent()), executor));
    }

    /** Replaces the refusal of a payment that was not built with an authentication error if the caller's token has ended in the meantime. */
    private static SendRecord sent(Outcome<SendRecord> outcome, Grant grant) {
        return outcome.fold(sent -> sent, failure -> {
            boolean unbuilt = failure instanceof RefusedException refused && refused.code() == ErrorCode.TX_BUILD;
            Optional<Refusal> end = unbuilt ? grant.objectionIfEnded() : Optional.empty();
            throw Causes.passedOn(end.<Throwable>map(RefusedException::new).orElse(failure));
        });
    }

    private SendRequest request(
            EvmAddress from, EvmAddress to, SendValue value, Optional<String> token, CallContext context) {
        Grant grant = context.grant();
        return new SendRequest(
                token.map(AccountSendStore::reference)
                        .orElseGet(
                                () -> AccountSendStore.UNNAMED + context.name().orElseGet(this::unique)),
                SendKind.SEND,
                from,
                to,
                value,
                Bytes.EMPTY,
                new SendRequest.Gas.Estimated(),
                Optional.empty(),
                SendRequest.Pushing.BY_ITSELF,
                grant.owner().map(SendRequest::ownedBy),
                () -> !grant.hasEnded());
    }

    private String unique() {
        byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static EvmAddress address(String text) {
        try {
            EvmAddress address = EvmAddress.parse(text);
            if (address.isZero()) {
                throw RefusedException.invalidParams("`to` is the zero address: what is sent there is lost");
            }
            return address;
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalidParams("`to`: " + e.getMessage());
        }
    }

    /** Parses an amount in whole coins with at most 18 decimals to wei. */
    private static BigInteger wei(String amount) {
        if (!DECIMAL.matcher(amount).matches()) {
            throw RefusedException.invalidParams("`amount`: must be a decimal number with at most 18 decimals, or max");
        }
        BigInteger wei = new BigDecimal(amount).movePointRight(DECIMALS).toBigIntegerExact();
        if (wei.signum() == 0 || wei.bitLength() > 256) {
            throw RefusedException.invalidParams("`amount`: must be more than zero and at most 256 bits of wei");
        }
        return wei;
    }

    /** Returns success only for a version that pays: accepted by an endpoint, or successful in a block. */
    private static EvmSendNative.Result result(SendRecord sent, boolean withToken) {
        String hash = "0x" + sent.callHash().hex();
        SendState state = sent.state();
        if (state instanceof SendState.Sent
                || state instanceof SendState.Mined mined && mined.succeeded()
                || state instanceof SendState.Final) {
            return new EvmSendNative.Result(hash);
        }
        if (state.isOver()) {
            throw new RefusedException(
                    ErrorCode.TX_BUILD, "transaction " + hash + " is " + state.word() + ": nothing was paid by it");
        }
        throw new RefusedException(
                ErrorCode.UPSTREAM,
                "the outcome of transaction " + hash + " is unknown, " + progress(state) + ": "
                        + (withToken
                                ? "call again with the same client_token, it never makes a second one"
                                : "look at evm_tx_history before paying again"));
    }

    private static String progress(SendState state) {
        if (state instanceof SendState.Cancelling) {
            return "it is being given up and may still be paid";
        }
        if (state instanceof SendState.Missing) {
            return "its nonce is used, and no endpoint of the account chain shows by which transaction";
        }
        return state instanceof SendState.Mined
                ? "it has failed in a block that is not final yet"
                : "no endpoint of the account chain has taken it yet, and the daemon goes on sending it";
    }
}
