package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;

/** Makes a version that pays more, and has it in the journal before anybody gets to see it. */
final class Replacer {
    private static final long TRANSFER_GAS = 21_000;

    private final SendSetup setup;

    Replacer(SendSetup setup) {
        this.setup = setup;
    }

    /** What the nonce shall be used for. */
    enum Purpose {
        THE_SAME,
        NOTHING
    }

    /**
     * Empty when ceiling or balance leave no room, or when the row has changed meanwhile. A nonce that is only to be spent is offered for what
     * there is when that is less than a replacement has to pay: perhaps nobody holds the version before.
     *
     * @param behind wei that those who wait for it would pay, which raise its ceiling
     */
    CompletionStage<Optional<AccountSend.Version>> replace(AccountSend row, Purpose purpose, BigInteger behind) {
        EvmAddress from = SendSetup.address(row.call().from());
        CompletableFuture<FeeMarket> market = setup.chain().fees().toCompletableFuture();
        CompletableFuture<BigInteger> balance = setup.chain()
                .reached(reads -> reads.balance(from, BlockRef.Tag.LATEST))
                // A claim must be raised although the quorum is away; what cannot be paid no endpoint takes.
                .exceptionallyComposeAsync(
                        failure -> setup.chain().any().balance(from, BlockRef.Tag.LATEST), setup.executor())
                .toCompletableFuture();
        return CompletableFuture.allOf(market, balance)
                .thenComposeAsync(
                        done -> replace(row, purpose, behind, market.join(), balance.join()), setup.executor());
    }

    private CompletionStage<Optional<AccountSend.Version>> replace(
            AccountSend row, Purpose purpose, BigInteger behind, FeeMarket market, BigInteger balance) {
        boolean same = purpose == Purpose.THE_SAME && !row.newest().cancels();
        long gas = same ? row.call().gasLimit() : TRANSFER_GAS;
        BigInteger value = same ? row.call().value() : BigInteger.ZERO;
        BigInteger most = balance.subtract(value);
        if (same && row.order().feeCeiling().isPresent()) {
            most = most.min(row.order().feeCeiling().get().add(behind));
        }
        GasPrice before = new GasPrice(row.newest().tip(), row.newest().maxFee());
        BigInteger perGas = most.divide(BigInteger.valueOf(gas));
        Optional<GasPrice> price =
                before.raised(market, perGas).or(() -> same ? Optional.empty() : GasPrice.within(market, perGas));
        if (price.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        EvmAddress from = SendSetup.address(row.call().from());
        DynamicFeeTransaction transaction = new DynamicFeeTransaction(
                setup.chain().chainId(),
                BigInteger.valueOf(row.nonce()),
                price.get().tip(),
                price.get().maxFee(),
                BigInteger.valueOf(gas),
                same ? SendSetup.address(row.call().to()) : from,
                value,
                same ? row.call().data() : Bytes.EMPTY);
        return setup.sign(from, transaction)
                .thenComposeAsync(signed -> journal(row, signed, price.get(), !same), setup.executor());
    }

    private CompletionStage<Optional<AccountSend.Version>> journal(
            AccountSend row, DynamicFeeTransaction.Signed signed, GasPrice price, boolean cancels) {
        AccountSend.Version version = new AccountSend.Version(
                signed.hash(),
                signed.raw(),
                price.tip(),
                price.maxFee(),
                cancels,
                setup.clock().millis());
        return setup.store()
                .addVersion(row.id(), row.versions().size(), version)
                .thenApplyAsync(
                        written -> written ? Optional.of(version) : Optional.<AccountSend.Version>empty(),
                        setup.executor());
    }
}
