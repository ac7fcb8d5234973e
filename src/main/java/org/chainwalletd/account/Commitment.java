package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import org.chainwalletd.store.AccountSend;

/**
 * Amount that one of our transactions may still take from the balance.
 *
 * @param most wei: value and fee of the dearest version
 * @param least wei: value and fee of the cheapest version
 * @param waiting whether it is in no block
 */
record Commitment(long nonce, BigInteger most, BigInteger least, boolean waiting) {
    static Commitment of(AccountSend send, boolean waiting) {
        Comparator<AccountSend.Version> byFee = Comparator.comparing(AccountSend.Version::maxFee);
        return new Commitment(
                send.nonce(),
                cost(send, send.versions().stream().max(byFee).orElseThrow()),
                cost(send, send.versions().stream().min(byFee).orElseThrow()),
                waiting);
    }

    /** Commitment of a copy: its call counts already with the send that it repeats, and a copy pays at most for its own failure. */
    static Commitment ofCopy(AccountSend send) {
        return new Commitment(send.nonce(), BigInteger.ZERO, BigInteger.ZERO, false);
    }

    private static BigInteger cost(AccountSend send, AccountSend.Version version) {
        return send.call()
                .value()
                .add(version.maxFee().multiply(BigInteger.valueOf(send.call().gasLimit())));
    }

    /** Most that is taken by those that a balance after {@code count} transactions does not know yet. */
    static BigInteger sum(List<Commitment> all, long count) {
        return all.stream()
                .filter(commitment -> commitment.nonce() >= count)
                .map(Commitment::most)
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Least that is taken by those that are in no block. */
    static BigInteger sumOfWaiting(List<Commitment> all) {
        return all.stream().filter(Commitment::waiting).map(Commitment::least).reduce(BigInteger.ZERO, BigInteger::add);
    }
}
