package org.chainwalletd.devnet.wire;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Address;

/**
 * What a push stream asks for (chain protocol, section 12). There is no percent-decoding, and the first {@code addresses=} counts.
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
        Boolean tips = null;
        for (String pair : (question < 0 ? "" : target.substring(question + 1)).split("&")) {
            if (list == null && pair.startsWith("addresses=")) {
                list = pair.substring("addresses=".length());
            } else if (tips == null && pair.startsWith("tips=")) {
                String value = pair.substring("tips=".length());
                tips = value.equals("1") || value.equals("true");
            }
        }
        return new PushQuery(addresses(list), tips != null && tips);
    }

    private static List<Address> addresses(String list) throws BadQuery {
        if (list == null) {
            throw new BadQuery("bad query: missing addresses= query param");
        }
        List<Address> addresses = new ArrayList<>();
        for (String token : list.split(",")) {
            if (!token.isEmpty()) {
                addresses.add(address(token));
            }
        }
        if (addresses.isEmpty()) {
            throw new BadQuery("bad query: empty addresses list");
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
