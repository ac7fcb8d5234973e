package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.wire.AmountOrMax;

/** Call whose audit line reports the payer, the recipients and the caller's name for the payment. */
public interface Audited {
    /** Payer and recipients; empty for a call that does not specify them. */
    default Optional<Payees> payees() {
        return Optional.empty();
    }

    /** The caller's name for the payment: the {@code client_token}, which some calls require. */
    default Optional<String> idempotencyToken() {
        return Optional.empty();
    }

    /** Ids of the payouts to which the call applies. */
    default List<String> payoutIds() {
        return List.of();
    }

    /**
     * @param from addresses whose coins are spent, or a label that selects them; empty if the daemon selects them
     * @param to recipients as requested, not validated yet; empty if the money stays with {@code from}
     */
    record Payees(List<String> from, List<Recipient> to) {
        public Payees(Address from, List<Recipient> to) {
            this(List.of(from.hex()), to);
        }
    }

    /**
     * @param to address or public key
     * @param amount base units, or {@code max}; on the account chain, whole coins
     */
    record Recipient(String to, String amount) {
        public Recipient(String to, AmountOrMax amount) {
            this(to, amount.toString());
        }
    }
}
