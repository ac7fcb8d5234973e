package org.chainwalletd.account;

import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeys;
import org.chainwalletd.store.AccountSend;

/**
 * Dependencies and settings of sending.
 *
 * @param knownNonce the operator's word that every transaction below this nonce is accounted for, whoever made it
 */
public record SendSetup(
        AccountChain chain,
        EvmKeys keys,
        SealedSends store,
        OptionalLong knownNonce,
        SendPace pace,
        InstantSource clock,
        Executor executor) {

    /** Signs what a row does, at a price. */
    CompletionStage<AccountSend.Version> version(AccountSend.Call call, GasPrice price, long now) {
        return signed(call, address(call.to()), call.value(), call.data(), call.gasLimit(), price)
                .thenApplyAsync(signed -> version(signed, price, false, now), executor);
    }

    /** Signs a transaction of nothing to ourselves, with the nonce of a row. */
    CompletionStage<AccountSend.Version> cancelling(AccountSend.Call call, long gas, GasPrice price, long now) {
        return signed(call, address(call.from()), BigInteger.ZERO, Bytes.EMPTY, gas, price)
                .thenApplyAsync(signed -> version(signed, price, true, now), executor);
    }

    private CompletionStage<DynamicFeeTransaction.Signed> signed(
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
        return keys.sign(address(call.from()), transaction.signingHash().toArray())
                .thenApplyAsync(transaction::signedWith, executor);
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

    /**
     * How often and how much at once.
     *
     * @param look time between two looks at what is not final
     * @param resend time after which what is in no block goes out again, the same bytes
     * @param stuck time, and {@code stuckBlocks} blocks, after which the next transaction of an address pays more
     * @param urgent time after which an urgent one pays more
     * @param rise time after which the fee of a claim stands at its ceiling: half of the margin that must be left when its secret leaves
     * @param refused time after which what no endpoint was ever willing to take is given up, so that later nonces can go
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

        /** The same, but for {@link #rise}. */
        public SendPace rising(Duration newRise) {
            return new SendPace(look, resend, stuck, stuckBlocks, urgent, newRise, refused, mostOpen, batch, window);
        }
    }
}
