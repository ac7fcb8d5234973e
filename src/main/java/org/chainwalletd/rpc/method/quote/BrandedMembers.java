package org.chainwalletd.rpc.method.quote;

import java.util.Map;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.wire.Spelling;

/**
 * The two members of a quote that carry the brand word (decisions.md, section 1): {@code <brand>_amount} and {@code rate_<brand>s_per_unit}. The
 * default spelling, in which the records declare them, is always read, and is what the default brand writes.
 */
final class BrandedMembers {
    static final String AMOUNT = "chain_amount";
    static final String RATE = "rate_chain_per_unit";

    /** The word that makes the default spelling. */
    private static final String DEFAULT_BRAND = "chain";

    private final String amount;
    private final String rate;
    private final Spelling spelling;

    BrandedMembers(ChainProfile chain) {
        boolean branded = !chain.brand().equals(DEFAULT_BRAND);
        amount = branded ? chain.brand() + "_amount" : AMOUNT;
        rate = branded ? "rate_" + chain.brand() + "s_per_unit" : RATE;
        spelling = branded ? Spelling.of(Map.of(AMOUNT, amount, RATE, rate)) : Spelling.AS_DECLARED;
    }

    /** How the amount is written. */
    String amount() {
        return amount;
    }

    /** How the rate is written. */
    String rate() {
        return rate;
    }

    /** For methods that read or describe these members. */
    Spelling spelling() {
        return spelling;
    }
}
