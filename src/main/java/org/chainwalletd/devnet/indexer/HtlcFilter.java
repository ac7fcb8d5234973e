package org.chainwalletd.devnet.indexer;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.CallException;
import org.chainwalletd.devnet.call.Params;

/**
 * Which HTLCs a list shows. What the parameter calls an address is compared with the parties' public keys (indexer.md, quirk 3).
 *
 * @param states empty for all
 */
record HtlcFilter(Optional<Hash256> key, Optional<String> role, Set<String> states, OptionalLong since) {
    private static final Set<String> ROLES = Set.of("sender", "receiver", "both", "observer");

    static HtlcFilter of(Params params, Set<String> states) {
        Optional<String> role = params.optionalText("role");
        if (role.isPresent() && !ROLES.contains(role.get())) {
            throw CallException.invalid("invalid params: htlc_list: unknown variant `" + role.get()
                    + "`, expected one of `sender`, `receiver`, `both`, `observer`");
        }
        return new HtlcFilter(
                params.optionalText("address").map(IndexerParams::bytes32),
                role,
                states,
                params.optionalNumber("since_height"));
    }

    boolean takes(Htlc htlc) {
        return (states.isEmpty() || states.contains(htlc.state()))
                && (since.isEmpty() || U64.compare(htlc.lockHeight(), since.getAsLong()) >= 0)
                && (key.isEmpty() || hasPart(htlc, key.get()));
    }

    private boolean hasPart(Htlc htlc, Hash256 party) {
        boolean sends = Hash256.of(htlc.params().sender().toArray()).equals(party);
        boolean receives = Hash256.of(htlc.params().receiver().toArray()).equals(party);
        return switch (role.orElse("")) {
            case "sender" -> sends;
            case "receiver" -> receives;
            case "both" -> sends && receives;
            default -> sends || receives;
        };
    }
}
