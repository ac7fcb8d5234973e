package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.EvmKeyObjection;

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
    public CompletionStage<List<EvmKeyObjection>> objections(EvmAddress key) {
        CompletionStage<List<EvmKeyObjection>> all =
                nothing(key).thenCombineAsync(unsettled(key), AccountKeyGuard::together, executor);
        for (EvmAddress token : tokens) {
            all = all.thenCombineAsync(ofToken(token, key), AccountKeyGuard::together, executor);
        }
        return all;
    }

    private static List<EvmKeyObjection> together(List<EvmKeyObjection> some, List<EvmKeyObjection> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /** That there is nothing is believed only when the quorum says so. */
    private CompletionStage<List<EvmKeyObjection>> nothing(EvmAddress key) {
        CompletionStage<BigInteger> balance = chain.agreed(reads -> reads.balance(key, BlockRef.Tag.LATEST));
        return balance.handleAsync((wei, failure) -> objection("wei", wei, failure), executor);
    }

    private CompletionStage<List<EvmKeyObjection>> ofToken(EvmAddress token, EvmAddress key) {
        CompletionStage<BigInteger> balance = chain.agreed(reads ->
                TokenBalance.read(reads, token, key, executor).thenApplyAsync(TokenBalance::balance, executor));
        return balance.handleAsync((units, failure) -> objection("units of token " + token, units, failure), executor);
    }

    private static List<EvmKeyObjection> objection(String what, BigInteger balance, Throwable failure) {
        if (failure != null) {
            return List.of(
                    new EvmKeyObjection.Balance("its balance is unknown: " + Failures.words(failure) + OVERRIDE));
        }
        return balance.signum() == 0
                ? List.of()
                : List.of(new EvmKeyObjection.Balance("it holds " + balance + " " + what + OVERRIDE));
    }

    private CompletionStage<List<EvmKeyObjection>> unsettled(EvmAddress key) {
        return sends.open(key).thenApplyAsync(AccountKeyGuard::unsettled, executor);
    }

    private static List<EvmKeyObjection> unsettled(List<SendRecord> open) {
        return open.isEmpty()
                ? List.of()
                : List.of(new EvmKeyObjection.Unsettled(
                        open.size() + " transactions of it are sent and not final" + OVERRIDE));
    }
}
