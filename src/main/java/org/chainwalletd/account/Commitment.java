package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import org.chainwalletd.store.AccountSend;

/**
 * What one of our transactions may still take from the balance.
 *
 * @param wei value and highest fee
 */
record Commitment(long nonce, BigInteger wei) {
    static Commitment of(AccountSend send) {
        BigInteger fee =
                send.newest().maxFee().multiply(BigInteger.valueOf(send.call().gasLimit()));
        return new Commitment(send.nonce(), send.call().value().add(fee));
    }

    /** Of those that a balance after {@code count} transactions does not know yet. */
    static BigInteger sum(List<Commitment> all, long count) {
        return all.stream()
                .filter(commitment -> commitment.nonce() >= count)
                .map(Commitment::wei)
                .reduce(BigInteger.ZERO, BigInteger::add);
    }
}
