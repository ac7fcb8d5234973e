package org.chainwalletd.wait;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.U64;
import org.chainwalletd.chain.Witness;

/** Payments of a transaction, computed from its bytes alone. */
final class Payments {
    private Payments() {}

    /**
     * Returns the sums that a transaction pays to addresses of interest, without change (payments of an address to itself). A sum that overflows is
     * the maximum amount; consensus does not allow it.
     */
    static Map<Address, Amount> of(ChainProfile profile, Transaction transaction, Predicate<Address> ofInterest) {
        Map<Address, Amount> paid = new HashMap<>();
        for (TxOutput output : transaction.outputs()) {
            output.address().filter(ofInterest).ifPresent(to -> paid.merge(to, output.value(), Payments::sum));
        }
        if (!paid.isEmpty()) {
            spenders(profile, transaction).forEach(paid::remove);
        }
        return paid;
    }

    /** Returns the addresses whose coins are spent: the witness of a plain input contains the public key. */
    private static Set<Address> spenders(ChainProfile profile, Transaction transaction) {
        Set<Address> spenders = new HashSet<>();
        for (Witness witness : transaction.witnesses()) {
            HtlcWitness.plainKey(witness).map(profile::addressOf).ifPresent(spenders::add);
        }
        return spenders;
    }

    private static Amount sum(Amount a, Amount b) {
        long bits = a.bits() + b.bits();
        return Amount.ofUnsigned(U64.compare(bits, a.bits()) < 0 ? -1L : bits);
    }
}
