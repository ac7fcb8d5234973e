package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.EndpointAnswer;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.account.endpoints.GasPrice.FeeMarket;
import org.chainwalletd.evm.EvmAddress;

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
        List<EndpointAnswer<Latest>> latest,
        FeeMarket market,
        boolean knowsType2) {
    private static final BigInteger RESERVED_GAS = BigInteger.valueOf(120_000L * 4);

    /** The block at which the quorum is asked. */
    enum Basis {
        /** Settled block, for locks and for opening a gate: a nonce or a balance that a reorganisation undoes would cost both legs. */
        SETTLED,
        /** Newest block, for payments, which are repeated when they fail. */
        NEWEST;

        static Basis of(SendKind kind) {
            return kind == SendKind.SEND ? NEWEST : SETTLED;
        }
    }

    /**
     * @param count read before the block, so of no later one
     * @param block the endpoint's newest
     */
    record Latest(long count, AccountBlock block) {
        static Latest of(AccountReads reads, EvmAddress from) {
            long count = reads.transactionCount(from, BlockRef.Tag.LATEST);
            return new Latest(count, reads.block(BlockRef.Tag.LATEST).orElseThrow());
        }
    }

    private record Account(long count, BigInteger balance, boolean hasCode) {
        /** Text of an answer in the message about a disagreement. */
        @Override
        public String toString() {
            return count + " transactions, " + balance + " wei" + (hasCode ? ", code" : "");
        }
    }

    /** @param contradicted told what endpoints say of the account when they differ; that one does not answer is no contradiction */
    static Survey of(AccountChain chain, EvmAddress from, Basis basis, Consumer<String> contradicted) {
        CompletionStage<Optional<AccountBlock>> settled = chain.finalBlock();
        CompletionStage<AccountBlock> newest = chain.newestBlock();
        CompletionStage<List<EndpointAnswer<Latest>>> latest = chain.each(reads -> Latest.of(reads, from));
        CompletionStage<List<EndpointAnswer<BigInteger>>> tips = chain.each(AccountReads::tip);
        AccountBlock at = basis == Basis.NEWEST
                ? await(newest)
                : await(settled)
                        .orElseThrow(() -> new AccountException.Disagreement(
                                chain.quorum(), false, List.of("there is no final block yet")));
        Account account = account(chain, from, BlockRef.hash(at.hash()), contradicted);
        AccountBlock head = await(newest);
        return new Survey(
                settledNumber(settled),
                account.count(),
                account.balance(),
                account.hasCode(),
                await(latest),
                GasPrice.market(
                        head.baseFee(),
                        await(tips).stream().map(EndpointAnswer::answer).toList()),
                head.baseFee().isPresent());
    }

    private static Account account(AccountChain chain, EvmAddress from, BlockRef at, Consumer<String> contradicted) {
        try {
            return await(chain.agreed(reads -> new Account(
                    reads.transactionCount(from, at),
                    reads.balance(from, at),
                    !reads.code(from, at).isEmpty())));
        } catch (AccountException.Disagreement why) {
            if (why.contradicted()) {
                contradicted.accept(why.getMessage());
            }
            throw why;
        }
    }

    private static long settledNumber(CompletionStage<Optional<AccountBlock>> settled) {
        try {
            return await(settled).map(AccountBlock::number).orElse(-1L);
        } catch (AccountException e) {
            return -1;
        }
    }

    /** 120,000 gas × 4 × (2 × base fee + tip): what one open swap may still need. */
    static BigInteger reservePerSwap(FeeMarket market) {
        return RESERVED_GAS.multiply(market.comfortable());
    }
}
