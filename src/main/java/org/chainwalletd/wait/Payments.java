package org.chainwalletd.wait;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.U64;
import org.chainwalletd.chain.Witness;

/** Payments of a transaction, read from its bytes alone. */
final class Payments {
    private static final int KEY_BYTES = 32;

    private Payments() {}

    /**
     * The sums that a transaction pays to addresses of interest. What an address pays to itself is change and left out. A sum that does not
     * fit is the largest amount: consensus allows none such.
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

    /** The addresses whose coins are spent: of a plain input the witness names the key. */
    private static Set<Address> spenders(ChainProfile profile, Transaction transaction) {
        Set<Address> spenders = new HashSet<>();
        for (Witness witness : transaction.witnesses()) {
            if (witness.data().length() == Witness.PLAIN_LENGTH) {
                byte[] key = witness.data().slice(0, KEY_BYTES);
                spenders.add(profile.addressOf(PublicKey.of(key)));
            }
        }
        return spenders;
    }

    private static Amount sum(Amount a, Amount b) {
        long bits = a.bits() + b.bits();
        return Amount.ofUnsigned(U64.compare(bits, a.bits()) < 0 ? -1L : bits);
    }
}
