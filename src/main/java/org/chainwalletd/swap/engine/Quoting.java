package org.chainwalletd.swap.engine;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyRefusal;
import org.chainwalletd.keyring.evm.EvmKeys;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.SwapClocks;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.Pool.PoolQuote;

/**
 * Obtains quotes: draws a secret, asks the pool, binds the pool's answer ({@link QuoteBinding}), and makes the quote durable. The secret is drawn
 * only after every check that needs no pool has passed, is never shown to anyone by quoting, and is overwritten once it is sealed in the journal or
 * the quote is rejected.
 *
 * @param keys returns the public key of one of our addresses
 * @param run id of this process
 * @param executor for continuations; may compute, never blocks
 */
public record Quoting(
        QuoteBinding binding,
        Pool pool,
        AccountChain chain,
        Function<Address, CompletionStage<Optional<PublicKey>>> keys,
        EvmKeys evmKeys,
        SwapClocks clocks,
        SwapJournal journal,
        SwapBook book,
        String run,
        SecureRandom random,
        Executor executor) {
    private static final int ID_LENGTH = 16;
    /** Maximum number of open quotes, each an actor and a row. They expire within a quarter of an hour. */
    private static final int MOST_OPEN = 256;

    private static final long QUOTES_EXPIRE_SECONDS = 60;

    /**
     * Request of a caller.
     *
     * @param amountIn decimal in whole coins; {@code units} is the same amount in base units
     * @param from our address of the chain leg
     * @param minimumOut in base units
     */
    public record Wanted(
            Direction direction, String amountIn, BigInteger units, Address from, Optional<BigInteger> minimumOut) {}

    /** See {@link SwapService#warning}. */
    Optional<String> warning() {
        return chain.quorum() == 1
                ? Optional.of(
                        "--evm-quorum 1: a single account-chain endpoint is trusted with the whole amount of this swap")
                : Optional.empty();
    }

    /**
     * Returns a quote that is bound and durable.
     *
     * @param taken receives the row; from then on the quote counts as open
     */
    CompletionStage<SwapJournal.Held> take(Wanted wanted, Consumer<SwapRow> taken) {
        if (!book.reserveQuote(MOST_OPEN)) {
            return CompletableFuture.failedFuture(tooMany());
        }
        return take(wanted)
                .thenApplyAsync(
                        held -> {
                            taken.accept(held.row());
                            return held;
                        },
                        executor)
                .whenCompleteAsync((held, failure) -> book.releaseQuote(), executor);
    }

    /**
     * Fails with {@link RefusedException}, or with the exceptions of the pool, the account chain, the keyring and the store; after a failure no
     * quote exists that could be executed.
     */
    private CompletionStage<SwapJournal.Held> take(Wanted wanted) {
        return ours(wanted.from())
                .thenComposeAsync(
                        ours -> usable(ours.evm()).thenComposeAsync(yes -> ask(wanted, ours), executor), executor);
    }

    /** Returns the refusal for more open quotes and swaps than the daemon watches at a time. */
    static RefusedException tooMany() {
        return RefusedException.tooManyRequests(
                "too many quotes and swaps are open; execute the quotes or let them expire", QUOTES_EXPIRE_SECONDS);
    }

    /** Returns the refusal for a quote that was rejected, or not requested because a lock would be impossible. */
    private static RefusedException unsafe(String why) {
        return RefusedException.invalidParams("no quote: " + why);
    }

    private CompletionStage<SwapTerms.Ours> ours(Address from) {
        return keys.apply(from)
                .thenComposeAsync(
                        key -> key.isEmpty()
                                ? CompletableFuture.failedFuture(new RefusedException(
                                        ErrorCode.WALLET_NOT_FOUND, "the keyring has no address " + from))
                                : evmKey().thenApplyAsync(evm -> new SwapTerms.Ours(from, key.get(), evm), executor),
                        executor);
    }

    private CompletionStage<EvmAddress> evmKey() {
        return evmKeys.current()
                .thenApplyAsync(key -> key.orElseThrow(() -> new RefusedException(EvmKeyRefusal.noKey())), executor);
    }

    /**
     * Checks by quorum that our address on the account chain has no code, which could forward what it is paid, and that the chain takes type 2
     * transactions. Also requires that the chain is followed.
     */
    private CompletionStage<Void> usable(EvmAddress ours) {
        if (clocks.tip().get().isEmpty()) {
            return CompletableFuture.failedFuture(unsafe("the chain is not followed yet"));
        }
        CompletionStage<Boolean> plain =
                chain.agreed(reads -> reads.code(ours, BlockRef.Tag.LATEST).isEmpty());
        CompletionStage<Boolean> type2 = chain.agreed(reads -> reads.block(BlockRef.Tag.LATEST)
                .orElseThrow(() -> unsafe("the account chain names no newest block"))
                .baseFee()
                .isPresent());
        return plain.thenCombineAsync(type2, Quoting::objection, executor)
                .thenComposeAsync(
                        objection -> objection.isPresent()
                                ? CompletableFuture.failedFuture(unsafe(objection.get()))
                                : CompletableFuture.completedFuture(null),
                        executor);
    }

    private static Optional<String> objection(boolean plain, boolean type2) {
        if (!plain) {
            return Optional.of("our address on the account chain has code, which could pass on what it is paid");
        }
        return type2 ? Optional.empty() : Optional.of("the account chain does not know transactions of type 2");
    }

    private CompletionStage<SwapJournal.Held> ask(Wanted wanted, SwapTerms.Ours ours) {
        SecretBytes secret = SecretBytes.random(SwapCodec.SECRET_LENGTH, random);
        Hash256 hashLock = secret.use(Hash256::sha256);
        CompletionStage<SwapJournal.Held> held = pool.quote(
                        new Pool.QuoteRequest(wanted.direction(), wanted.amountIn(), hashLock, ours.evm(), ours.key()))
                .thenCombineAsync(pool.info(), (quote, info) -> new PricedQuote(quote, info.midPrice()), executor)
                .thenComposeAsync(
                        priced -> clocks.now()
                                .thenApplyAsync(now -> bound(wanted, ours, hashLock, priced, now), executor),
                        executor)
                .thenComposeAsync(row -> write(row, secret), executor);
        return held.whenCompleteAsync((done, failure) -> secret.close(), executor);
    }

    private record PricedQuote(PoolQuote quote, Optional<BigDecimal> price) {}

    private SwapRow bound(
            Wanted wanted, SwapTerms.Ours ours, Hash256 hashLock, PricedQuote priced, QuoteBinding.Now now) {
        QuoteBinding.Asked asked = new QuoteBinding.Asked(
                wanted.direction(), wanted.amountIn(), wanted.units(), hashLock, ours, wanted.minimumOut());
        try {
            SwapTerms terms = binding.bind(asked, priced.quote(), priced.price(), now);
            return SwapRow.quoted(id(), priced.quote().swapId(), run, terms, wanted.minimumOut(), now.wallSeconds());
        } catch (RefusedException refusal) {
            throw unsafe(refusal.getMessage());
        }
    }

    private String id() {
        byte[] bytes = new byte[ID_LENGTH];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private CompletionStage<SwapJournal.Held> write(SwapRow row, SecretBytes secret) {
        return journal.add(row, secret)
                .thenApplyAsync(
                        held -> held.orElseThrow(
                                () -> unsafe("the pool gives the id of an earlier swap, " + row.poolSwapId())),
                        executor);
    }
}
