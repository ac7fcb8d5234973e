package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.evm.EvmAddress;

/**
 * What has to be known of an address before something is sent from it, by the quorum at the latest block.
 *
 * @param count transactions that the chain has of it
 * @param balance in wei
 * @param hasCode whether it is a contract, or has lent itself to one
 * @param knowsType2 whether blocks have a base fee
 * @param isAgreed false: the quorum could not be asked, and all but the fees is assumed
 */
record Survey(long count, BigInteger balance, FeeMarket market, boolean hasCode, boolean knowsType2, boolean isAgreed) {
    /** More than there is. */
    private static final BigInteger BOUNDLESS = BigInteger.ONE.shiftLeft(255);

    private static final BigInteger RESERVED_GAS = BigInteger.valueOf(120_000L * 4);

    static CompletionStage<Survey> of(AccountChain chain, EvmAddress from, Executor executor) {
        CompletableFuture<Long> count = chain.reached(reads -> reads.transactionCount(from, BlockRef.Tag.LATEST))
                .toCompletableFuture();
        CompletableFuture<BigInteger> balance =
                chain.reached(reads -> reads.balance(from, BlockRef.Tag.LATEST)).toCompletableFuture();
        CompletableFuture<FeeMarket> market = chain.fees().toCompletableFuture();
        CompletableFuture<Boolean> hasCode = chain.agreed(reads ->
                        reads.code(from, BlockRef.Tag.LATEST).thenApplyAsync(code -> !code.isEmpty(), executor))
                .toCompletableFuture();
        CompletableFuture<Boolean> type2 = chain.agreed(reads -> reads.block(BlockRef.Tag.LATEST)
                        .thenApplyAsync(
                                block -> block.flatMap(AccountBlock::baseFee).isPresent(), executor))
                .toCompletableFuture();
        return CompletableFuture.allOf(count, balance, market, hasCode, type2)
                .thenApplyAsync(
                        done -> new Survey(
                                count.join(),
                                balance.join(),
                                GasPrice.sane(market.join()),
                                hasCode.join(),
                                type2.join(),
                                true),
                        executor);
    }

    /**
     * For what must go out although endpoints are away: the quorum's word when it can be had, otherwise one endpoint's, which is enough to
     * send what costs nothing but gas.
     */
    static CompletionStage<Survey> ofPressing(AccountChain chain, EvmAddress from, Executor executor) {
        return of(chain, from, executor)
                .exceptionallyComposeAsync(
                        failure -> chain.any()
                                .transactionCount(from, BlockRef.Tag.LATEST)
                                .thenCombineAsync(
                                        chain.fees(),
                                        (count, market) ->
                                                new Survey(count, BOUNDLESS, GasPrice.sane(market), false, true, false),
                                        executor),
                        executor);
    }

    /** 120,000 gas × 4 × (2 × base fee + tip): what one open swap may still need. */
    static BigInteger reservePerSwap(FeeMarket market) {
        return RESERVED_GAS.multiply(GasPrice.sane(market).comfortable());
    }
}
