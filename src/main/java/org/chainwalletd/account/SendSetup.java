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
 * @param permission checked before each send; fails when this process must not send, or when that is unknown
 * @param knownNonce the operator's assurance that every transaction below this nonce is accounted for, whichever sender made it
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
    /** Maximum time to wait for the database's permission to send a claim or a refund. */
    private static final Duration LONGEST_DOUBT = Duration.ofSeconds(5);

    /** Returns this setup with a journal that is written only during {@code term}. */
    SendSetup during(WritingTerms.Term term) {
        return new SendSetup(chain, keys, store.during(term), knownNonce, pace, clock, threads, permission);
    }

    /**
     * Fails when a transaction of the journal must not be sent now: while this daemon was paused it may have been declared off, and another daemon
     * may have abandoned the transaction. A claim or a refund is withheld only when permission is definitely denied: it does no harm if the other
     * daemon sends it too, and an unreachable database must not cause a missed deadline.
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
     * Bounded pools for the blocking code of sending. No task waits for a thread of its own pool; {@link AccountSends#funds} waits for transactions
     * in preparation, so its callers must use their own threads.
     *
     * @param ordinary makes, looks at and replaces transactions
     * @param pressing makes and replaces claims and refunds, and transactions that delay them
     * @param continuations runs continuations of stages; never blocks
     */
    public record Threads(Executor ordinary, Executor pressing, Executor continuations) {}

    /** Returns the endpoints, on the lane for claims and refunds if {@code isPressing}. */
    AccountChain chain(boolean isPressing) {
        return isPressing ? chain.pressing() : chain;
    }

    Executor threads(boolean isPressing) {
        return isPressing ? threads.pressing() : threads.ordinary();
    }

    /** Signs a version of a row's call at the given price. */
    AccountSend.Version version(AccountSend.Call call, GasPrice price, long now) {
        return version(
                signed(call, address(call.to()), call.value(), call.data(), call.gasLimit(), price), price, false, now);
    }

    /** Signs a transaction of zero wei to ourselves with the nonce of a row. */
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

    /** Returns the address whose nonce a row uses. */
    static EvmAddress payer(AccountSend row) {
        return address(row.call().from());
    }

    /**
     * Intervals and batch sizes.
     *
     * @param look time between two looks at the transactions that are not final
     * @param resend time after which a transaction that is not in a block is sent again, the same bytes
     * @param stuck time after which, if {@code stuckBlocks} blocks have passed too, the fee of an address's lowest waiting transaction is raised
     * @param urgent time after which the fee of an urgent transaction is raised
     * @param rise time after which the fee of a claim has reached its ceiling: half of the margin that is required when its secret is revealed
     * @param refused time after which a transaction that no endpoint has ever accepted is abandoned, so that later nonces can be mined, and after
     *     which a transaction whose nonce is used without a receipt of it is lost
     * @param mostOpen maximum number of transactions that are not final
     * @param batch maximum number of transactions that are made together
     * @param window number of waiting transactions of an address, those with the lowest nonces, that are resent or raised
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
