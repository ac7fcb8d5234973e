package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.Told;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.stage.Causes;

/**
 * Figures of an address that decide whether something new may be sent from it. Count, balance and code are those of one block that the quorum
 * agrees on, read by its hash; two answers that differ are no answer.
 *
 * @param settledNumber height of the newest settled block; −1 while none is agreed on
 * @param count transactions that the chain has of the address at that block
 * @param balance in wei
 * @param hasCode whether the address is a contract, or has lent itself to one
 * @param latest each endpoint's own word of its newest block
 * @param market at the newest block that the quorum has
 * @param knowsType2 whether blocks have a base fee
 */
record Survey(
        long settledNumber,
        long count,
        BigInteger balance,
        boolean hasCode,
        List<Told<Latest>> latest,
        AccountChain.FeeMarket market,
        boolean knowsType2) {
    private static final BigInteger RESERVED_GAS = BigInteger.valueOf(120_000L * 4);

    /** The block at which the quorum is asked. */
    enum Basis {
        /** For locks and for opening a gate: a nonce or a balance that a reorganisation takes away costs both legs. */
        SETTLED,
        /** For payments, which are repeated when they fail. */
        NEWEST;

        static Basis of(SendKind kind) {
            return kind == SendKind.SEND ? NEWEST : SETTLED;
        }
    }

    /**
     * @param count read before the block, so of no later one
     * @param block the endpoint's newest
     */
    record Latest(long count, AccountBlock block) {}

    private record Account(long count, BigInteger balance, boolean hasCode) {
        /** As a disagreement tells it. */
        @Override
        public String toString() {
            return count + " transactions, " + balance + " wei" + (hasCode ? ", code" : "");
        }
    }

    /** @param contradicted told what endpoints say of the account when they differ; that one does not answer is no contradiction */
    static CompletionStage<Survey> of(
            AccountChain chain, EvmAddress from, Basis basis, Consumer<String> contradicted, Executor executor) {
        CompletableFuture<Optional<AccountBlock>> settled = chain.finalBlock().toCompletableFuture();
        CompletableFuture<AccountBlock> newest = chain.newestBlock().toCompletableFuture();
        CompletableFuture<AccountBlock> at = basis == Basis.NEWEST
                ? newest
                : settled.thenApplyAsync(
                        block -> block.orElseThrow(() -> new AccountException.Disagreement(
                                chain.quorum(), false, List.of("there is no final block yet"))),
                        executor);
        CompletableFuture<Account> account = at.thenComposeAsync(
                block -> chain.agreed(reads -> account(reads, from, BlockRef.hash(block.hash()), executor))
                        .exceptionallyComposeAsync(failure -> differ(failure, contradicted), executor),
                executor);
        CompletableFuture<List<Told<Latest>>> latest = latest(chain, from, executor);
        CompletableFuture<List<Told<BigInteger>>> tips =
                chain.each(AccountReads::tip).toCompletableFuture();
        CompletableFuture<Long> settledNumber = settled.handleAsync(
                (block, failure) ->
                        failure != null || block.isEmpty() ? -1L : block.get().number(),
                executor);
        return CompletableFuture.allOf(newest, account, latest, tips, settledNumber)
                .thenApplyAsync(
                        done -> new Survey(
                                settledNumber.join(),
                                account.join().count(),
                                account.join().balance(),
                                account.join().hasCode(),
                                latest.join(),
                                GasPrice.market(
                                        newest.join(),
                                        tips.join().stream().map(Told::answer).toList()),
                                newest.join().baseFee().isPresent()),
                        executor);
    }

    private static CompletionStage<Account> differ(Throwable failure, Consumer<String> contradicted) {
        if (Causes.of(failure) instanceof AccountException.Disagreement why && why.contradicted()) {
            contradicted.accept(why.getMessage());
        }
        return CompletableFuture.failedFuture(Causes.of(failure));
    }

    private static CompletionStage<Account> account(
            AccountReads reads, EvmAddress from, BlockRef at, Executor executor) {
        CompletableFuture<Long> count = reads.transactionCount(from, at).toCompletableFuture();
        CompletableFuture<BigInteger> balance = reads.balance(from, at).toCompletableFuture();
        CompletableFuture<Boolean> hasCode = reads.code(from, at)
                .thenApplyAsync(code -> !code.isEmpty(), executor)
                .toCompletableFuture();
        return CompletableFuture.allOf(count, balance, hasCode)
                .thenApplyAsync(done -> new Account(count.join(), balance.join(), hasCode.join()), executor);
    }

    /** Asks each endpoint, keeps those that answer; never fails. */
    static CompletableFuture<List<Told<Latest>>> latest(AccountChain chain, EvmAddress from, Executor executor) {
        return chain.each(reads -> reads.transactionCount(from, BlockRef.Tag.LATEST)
                        .thenComposeAsync(
                                count -> reads.block(BlockRef.Tag.LATEST)
                                        .thenApplyAsync(block -> new Latest(count, block.orElseThrow()), executor),
                                executor))
                .toCompletableFuture();
    }

    /** 120,000 gas × 4 × (2 × base fee + tip): what one open swap may still need. */
    static BigInteger reservePerSwap(AccountChain.FeeMarket market) {
        return RESERVED_GAS.multiply(market.comfortable());
    }
}
