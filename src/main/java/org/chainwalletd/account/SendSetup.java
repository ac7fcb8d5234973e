package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeys;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.StoreException;

/**
 * Dependencies and settings of sending.
 *
 * @param permission asked before each send: fails when this process may send nothing, or when that is not known
 * @param knownNonce the operator's word that every transaction below this nonce is accounted for, whoever made it
 */
public record SendSetup(
        AccountChain chain,
        EvmKeys keys,
        SealedSends store,
        OptionalLong knownNonce,
        SendPace pace,
        InstantSource clock,
        Threads threads,
        Supplier<CompletionStage<Void>> permission) {
    /** Time that a database gets to say whether a claim or a refund may be sent. */
    private static final Duration LONGEST_DOUBT = Duration.ofSeconds(5);

    /** Returns this setup with a journal that is written only during {@code term}. */
    SendSetup during(WritingTerms.Term term) {
        return new SendSetup(chain, keys, store.during(term), knownNonce, pace, clock, threads, permission);
    }

    /**
     * Fails when a transaction of the journal must not leave now: a daemon that was paused may have been declared off meanwhile, and another one may
     * have given the transaction up. A claim or a refund is held back only when that is known: it does no harm when the other daemon sends it
     * too, and a database that is away must not cost a deadline.
     */
    CompletionStage<Void> permit(boolean isPressing) {
        CompletionStage<Void> asked = permission.get();
        return isPressing
                ? asked.toCompletableFuture()
                        .copy()
                        .orTimeout(LONGEST_DOUBT.toMillis(), TimeUnit.MILLISECONDS)
                        .exceptionallyComposeAsync(
                                failure -> isDenied(failure)
                                        ? CompletableFuture.failedFuture(failure)
                                        : CompletableFuture.completedFuture(null),
                                threads.continuations())
                : asked;
    }

    private static boolean isDenied(Throwable failure) {
        return Causes.of(failure) instanceof StoreException store && store.reason() == StoreException.Reason.STOPPED;
    }

    /**
     * Pools for straight-line code of sending, each bounded. None waits for a thread of its own pool; {@link AccountSends#funds} waits for
     * what is being made, so its callers bring their own threads.
     *
     * @param ordinary makes, looks at and replaces transactions
     * @param pressing makes and replaces claims and refunds, and whatever holds them up
     * @param continuations turns rows into records; never blocks
     */
    public record Threads(Executor ordinary, Executor pressing, Executor continuations) {}

    /** The endpoints as they are asked for this purpose. */
    AccountChain chain(boolean isPressing) {
        return isPressing ? chain.pressing() : chain;
    }

    Executor threads(boolean isPressing) {
        return isPressing ? threads.pressing() : threads.ordinary();
    }

    /** Signs what a row does, at a price. */
    AccountSend.Version version(AccountSend.Call call, GasPrice price, long now) {
        return version(
                signed(call, address(call.to()), call.value(), call.data(), call.gasLimit(), price), price, false, now);
    }

    /** Signs a transaction of nothing to ourselves, with the nonce of a row. */
    AccountSend.Version cancelling(AccountSend.Call call, long gas, GasPrice price, long now) {
        return version(signed(call, address(call.from()), BigInteger.ZERO, Bytes.EMPTY, gas, price), price, true, now);
    }

    private DynamicFeeTransaction.Signed signed(
            AccountSend.Call call, EvmAddress to, BigInteger value, Bytes data, long gas, GasPrice price) {
        DynamicFeeTransaction transaction = new DynamicFeeTransaction(
                call.chainId(),
                BigInteger.valueOf(call.nonce()),
                price.tip(),
                price.maxFee(),
                BigInteger.valueOf(gas),
                to,
                value,
                data);
        return transaction.signedWith(
                await(keys.sign(address(call.from()), transaction.signingHash().toArray())));
    }

    private static AccountSend.Version version(
            DynamicFeeTransaction.Signed signed, GasPrice price, boolean cancels, long now) {
        return new AccountSend.Version(signed.hash(), signed.raw(), price.tip(), price.maxFee(), cancels, now);
    }

    static Bytes bytes(EvmAddress address) {
        return Bytes.wrap(address.toArray());
    }

    static EvmAddress address(Bytes bytes) {
        return EvmAddress.of(bytes.toArray());
    }

    /** The address whose nonce a row takes. */
    static EvmAddress payer(AccountSend row) {
        return address(row.call().from());
    }

    /**
     * Intervals and batch sizes.
     *
     * @param look time between two looks at what is not final
     * @param resend time after which what is in no block goes out again, the same bytes
     * @param stuck time, and {@code stuckBlocks} blocks, after which the next transaction of an address pays more
     * @param urgent time after which an urgent one pays more
     * @param rise time after which the fee of a claim stands at its ceiling: half of the margin that must be left when its secret leaves
     * @param refused time after which what no endpoint was ever willing to take is abandoned, so that later nonces can go, and after which what has
     *     no receipt although its nonce is used is lost
     * @param mostOpen transactions that are not final
     * @param batch transactions that are made together
     * @param window transactions of an address that are sent again at a time, those with the lowest nonces
     */
    public record SendPace(
            Duration look,
            Duration resend,
            Duration stuck,
            int stuckBlocks,
            Duration urgent,
            Duration rise,
            Duration refused,
            int mostOpen,
            int batch,
            int window) {
        public static final SendPace USUAL = new SendPace(
                Duration.ofSeconds(4),
                Duration.ofSeconds(15),
                Duration.ofSeconds(60),
                3,
                Duration.ofSeconds(30),
                Duration.ofMinutes(30),
                Duration.ofMinutes(10),
                4_096,
                64,
                64);

        public SendPace rising(Duration newRise) {
            return new SendPace(look, resend, stuck, stuckBlocks, urgent, newRise, refused, mostOpen, batch, window);
        }
    }
}
