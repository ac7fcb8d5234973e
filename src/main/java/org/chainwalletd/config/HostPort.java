package org.chainwalletd.config;

import java.net.InetSocketAddress;

/** Formatter of addresses for URLs. */
public final class HostPort {
    private HostPort() {}

    /** Formats an address like {@code 127.0.0.1:7448} or {@code [::1]:7448}; never as a host name. */
    public static String of(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** Formats the address by which this machine reaches the listener on {@code bind}; replaces a wildcard address, to which one cannot connect. */
    public static String toReach(InetSocketAddress bind) {
        return of(bind.getAddress().isAnyLocalAddress() ? new InetSocketAddress("127.0.0.1", bind.getPort()) : bind);
    }
}
