package org.chainwalletd.devnet.wire;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.devnet.wire.HttpText.Refusal;
import org.chainwalletd.devnet.wire.HttpText.RefusedException;

/**
 * Query of a push stream (chain protocol, section 12). There is no percent-decoding, the first {@code addresses=} counts, and any
 * {@code tips=1} or {@code tips=true}.
 *
 * @param addresses in the order of the request, duplicates kept
 */
record PushQuery(List<Address> addresses, boolean tips) {
    private static final int MAX_ADDRESSES = 256;

    /**
     * @throws RefusedException with the answer of a node
     */
    static PushQuery parse(String target) throws RefusedException {
        int question = target.indexOf('?');
        String list = null;
        boolean tips = false;
        for (String pair : (question < 0 ? "" : target.substring(question + 1)).split("&")) {
            if (list == null && pair.startsWith("addresses=")) {
                list = pair.substring("addresses=".length());
            } else if (pair.equals("tips=1") || pair.equals("tips=true")) {
                tips = true;
            }
        }
        return new PushQuery(addresses(list), tips);
    }

    private static List<Address> addresses(String list) throws RefusedException {
        if (list == null) {
            throw refused("bad query: missing addresses= query param");
        }
        if (list.isEmpty()) {
            throw refused("bad query: empty addresses list");
        }
        List<Address> addresses = new ArrayList<>();
        for (String token : list.split(",", -1)) {
            addresses.add(address(token));
        }
        if (addresses.size() > MAX_ADDRESSES) {
            throw refused("too many addresses (" + addresses.size() + "); max is " + MAX_ADDRESSES);
        }
        return addresses;
    }

    private static Address address(String token) throws RefusedException {
        try {
            return AddressText.parse(token);
        } catch (IllegalArgumentException e) {
            throw refused("bad query: invalid address `" + token + "`: " + e.getMessage());
        }
    }

    private static RefusedException refused(String answer) {
        return new RefusedException(Refusal.badRequest(answer));
    }
}
