package org.chainwalletd.http.door;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Address of the caller, as far as it can be trusted: the peer of the connection, or, when that is one of the configured proxies, the last entry of
 * X-Forwarded-For that is not such a proxy. Entries to its left come from the caller and are not trusted.
 */
public final class ClientAddress {
    private record Range(byte[] network, int bits) {
        boolean contains(byte[] address) {
            if (address.length != network.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                int mask = 0x80 >> (bit & 7);
                if (((address[bit >> 3] ^ network[bit >> 3]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private final List<Range> proxies;

    /**
     * @param proxies addresses or CIDR ranges, IPv4 or IPv6
     * @throws IllegalArgumentException for anything else; host names are not resolved
     */
    public ClientAddress(List<String> proxies) {
        this.proxies = proxies.stream().map(ClientAddress::range).toList();
    }

    boolean trustsAnyProxy() {
        return !proxies.isEmpty();
    }

    /**
     * @param forwardedFor values of all X-Forwarded-For headers in their order, joined with commas; empty for none
     * @return an address without a port
     */
    String of(InetAddress peer, String forwardedFor) {
        if (!isProxy(peer.getAddress())) {
            return peer.getHostAddress();
        }
        String[] hops = forwardedFor.split(",");
        String client = peer.getHostAddress();
        for (int i = hops.length - 1; i >= 0; i--) {
            byte[] hop = literal(hops[i].strip());
            if (hop == null) {
                return client;
            }
            client = text(hop);
            if (!isProxy(hop)) {
                return client;
            }
        }
        return client;
    }

    boolean isProxy(InetAddress peer) {
        return isProxy(peer.getAddress());
    }

    /**
     * Returns the key that identifies a caller: the /64 of an IPv6 address, since one subscriber can call from a whole /64.
     *
     * @param address as {@link InetAddress#getHostAddress} writes it
     */
    static String network(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        String[] groups = address.split(":", 5);
        return groups.length < 5 ? address : groups[0] + ':' + groups[1] + ':' + groups[2] + ':' + groups[3];
    }

    private boolean isProxy(byte[] address) {
        for (Range range : proxies) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private static Range range(String text) {
        int slash = text.indexOf('/');
        byte[] network =
                literal(slash < 0 ? text.strip() : text.substring(0, slash).strip());
        if (network == null) {
            throw new IllegalArgumentException("not an IP address or CIDR range: '" + text + "'");
        }
        int all = network.length * 8;
        int bits = all;
        if (slash >= 0) {
            String length = text.substring(slash + 1).strip();
            bits = length.matches("\\d{1,3}") ? Integer.parseInt(length) : -1;
        }
        if (bits < 0 || bits > all) {
            throw new IllegalArgumentException("not a CIDR range: '" + text + "'");
        }
        return new Range(network, bits);
    }

    /** Returns the bytes of an address literal, or null. Never resolves names. */
    private static byte[] literal(String text) {
        String bare = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        boolean ipv4 = bare.matches("\\d{1,3}(\\.\\d{1,3}){3}");
        boolean ipv6 = bare.length() <= 45 && bare.indexOf(':') >= 0 && bare.matches("[0-9A-Fa-f:.]+");
        if (!ipv4 && !ipv6) {
            return null;
        }
        try {
            return InetAddress.getByName(bare).getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static String text(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 4 or 16 bytes", e);
        }
    }
}
