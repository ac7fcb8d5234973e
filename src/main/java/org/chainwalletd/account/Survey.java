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
 * Data of an address that decide whether a new transaction may be sent from it. Count, balance and code are the state at one block, read by its
 * hash, as agreed by the quorum.
 *
 * @param settledNumber height of the newest settled block; −1 while none is agreed on
 * @param count transaction count of the address at the block of its {@link Basis}
 * @param balance in wei
 * @param hasCode whether the address is a contract or delegates to one (EIP-7702)
 * @param latest each endpoint's own report of its newest block
 * @param market gas price at the newest block that the quorum has
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

    /** Block whose state the quorum is asked for. */
    enum Basis {
        /** Settled block, for locks and for gates: if a reorganisation undid the nonce or the balance, both legs could be lost. */
        SETTLED,
        /** Newest block, for payments, which can be repeated if they fail. */
        NEWEST;

        static Basis of(SendKind kind) {
            return kind == SendKind.SEND ? NEWEST : SETTLED;
        }
    }

    /**
     * @param count transaction count, read before the block and therefore not newer than it
     * @param block the endpoint's newest block
     */
    record Latest(long count, AccountBlock block) {
        static Latest of(AccountReads reads, EvmAddress from) {
            long count = reads.transactionCount(from, BlockRef.Tag.LATEST);
            return new Latest(count, reads.block(BlockRef.Tag.LATEST).orElseThrow());
        }
    }

    private record Account(long count, BigInteger balance, boolean hasCode) {
        /** Returns the text used in the message of a disagreement. */
        @Override
        public String toString() {
            return count + " transactions, " + balance + " wei" + (hasCode ? ", code" : "");
        }
    }

    /**
     * Reads the data from the endpoints. Blocks.
     *
     * @param contradicted receives the endpoints' answers when they differ; not called when answers are only missing
     */
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

    /** Returns 120,000 gas × 4 × (2 × base fee + tip), the amount that one open swap may still need. */
    static BigInteger reservePerSwap(FeeMarket market) {
        return RESERVED_GAS.multiply(market.comfortable());
    }
}
