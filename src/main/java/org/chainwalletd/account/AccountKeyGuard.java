package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.TokenBalance;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyGuard;

/** Keeps an account-chain key as long as it holds something, may hold something, or has sent what is not final. */
public final class AccountKeyGuard implements EvmKeyGuard {
    private static final String OVERRIDE = " (force: true overrides)";

    private final AccountChain chain;
    private final AccountSends sends;
    private final List<EvmAddress> tokens;
    private final Executor executor;

    /** @param tokens whose balances count too */
    public AccountKeyGuard(AccountChain chain, AccountSends sends, List<EvmAddress> tokens, Executor executor) {
        this.chain = chain;
        this.sends = sends;
        this.tokens = List.copyOf(tokens);
        this.executor = executor;
    }

    @Override
    public CompletionStage<List<EvmKeyGuard.Objection>> objections(EvmAddress key) {
        CompletionStage<List<EvmKeyGuard.Objection>> all =
                nothing(key).thenCombineAsync(unsettled(key), AccountKeyGuard::together, executor);
        for (EvmAddress token : tokens) {
            all = all.thenCombineAsync(ofToken(token, key), AccountKeyGuard::together, executor);
        }
        return all;
    }

    private static List<EvmKeyGuard.Objection> together(
            List<EvmKeyGuard.Objection> some, List<EvmKeyGuard.Objection> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /** Believes that there is nothing only when the quorum says so. */
    private CompletionStage<List<EvmKeyGuard.Objection>> nothing(EvmAddress key) {
        CompletionStage<BigInteger> balance = chain.agreed(reads -> reads.balance(key, BlockRef.Tag.LATEST));
        return balance.handleAsync((wei, failure) -> objection("wei", wei, failure), executor);
    }

    private CompletionStage<List<EvmKeyGuard.Objection>> ofToken(EvmAddress token, EvmAddress key) {
        CompletionStage<BigInteger> balance = chain.agreed(reads ->
                TokenBalance.read(reads, token, key, executor).thenApplyAsync(TokenBalance::balance, executor));
        return balance.handleAsync((units, failure) -> objection("units of token " + token, units, failure), executor);
    }

    private static List<EvmKeyGuard.Objection> objection(String what, BigInteger balance, Throwable failure) {
        if (failure != null) {
            return List.of(new EvmKeyGuard.Objection.Balance(
                    "its balance is unknown: " + AccountException.words(failure) + OVERRIDE));
        }
        return balance.signum() == 0
                ? List.of()
                : List.of(new EvmKeyGuard.Objection.Balance("it holds " + balance + " " + what + OVERRIDE));
    }

    private CompletionStage<List<EvmKeyGuard.Objection>> unsettled(EvmAddress key) {
        return sends.open(key).thenApplyAsync(AccountKeyGuard::unsettled, executor);
    }

    private static List<EvmKeyGuard.Objection> unsettled(List<SendRecord> open) {
        return open.isEmpty()
                ? List.of()
                : List.of(new EvmKeyGuard.Objection.Unsettled(
                        open.size() + " transactions of it are sent and not final" + OVERRIDE));
    }
}
