package org.chainwalletd.devnet.wire;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Address;

/**
 * Query of a push stream (chain protocol, section 12). There is no percent-decoding, the first {@code addresses=} counts, and any
 * {@code tips=1} or {@code tips=true}.
 *
 * @param addresses in the order of the request, duplicates kept
 */
record PushQuery(List<Address> addresses, boolean tips) {
    private static final int MAX_ADDRESSES = 256;

    /**
     * @throws BadQuery with the answer of a node
     */
    static PushQuery parse(String target) throws BadQuery {
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

    private static List<Address> addresses(String list) throws BadQuery {
        if (list == null) {
            throw new BadQuery("bad query: missing addresses= query param");
        }
        if (list.isEmpty()) {
            throw new BadQuery("bad query: empty addresses list");
        }
        List<Address> addresses = new ArrayList<>();
        for (String token : list.split(",", -1)) {
            addresses.add(address(token));
        }
        if (addresses.size() > MAX_ADDRESSES) {
            throw new BadQuery("too many addresses (" + addresses.size() + "); max is " + MAX_ADDRESSES);
        }
        return addresses;
    }

    private static Address address(String token) throws BadQuery {
        try {
            return AddressText.parse(token);
        } catch (IllegalArgumentException e) {
            throw new BadQuery("bad query: invalid address `" + token + "`: " + e.getMessage());
        }
    }

    /** Refused before the stream starts; the message is the body of the 400 answer. */
    static final class BadQuery extends Exception {
        private static final long serialVersionUID = 1L;

        BadQuery(String message) {
            super(message, null, false, false);
        }
    }
}
