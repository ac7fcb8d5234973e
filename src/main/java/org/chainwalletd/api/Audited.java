package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.wire.AmountOrMax;

/** Call of which the audit line tells who pays whom, and under which name of the caller's. */
public interface Audited {
    /** Payer and recipients; empty for a call that does not name them. */
    default Optional<Payees> payees() {
        return Optional.empty();
    }

    /** The caller's name for the payment: the {@code client_token}, which some calls require. */
    default Optional<String> idempotencyToken() {
        return Optional.empty();
    }

    /** Ids of the payouts that the call is about. */
    default List<String> payoutIds() {
        return List.of();
    }

    /**
     * @param from addresses whose coins are spent, or a label of them; none where the call leaves it to the daemon
     * @param to recipients as they were asked for, not checked yet; none when the money stays with {@code from}
     */
    record Payees(List<String> from, List<Recipient> to) {
        public Payees(Address from, List<Recipient> to) {
            this(List.of(from.hex()), to);
        }
    }

    /**
     * @param to address or public key
     * @param amount in base units, or {@code max}; of the account chain in whole coins
     */
    record Recipient(String to, String amount) {
        public Recipient(String to, AmountOrMax amount) {
            this(to, amount.toString());
        }
    }
}
