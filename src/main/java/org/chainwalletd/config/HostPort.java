package org.chainwalletd.config;

import java.net.InetSocketAddress;

/** Addresses as they stand in URLs. */
public final class HostPort {
    private HostPort() {}

    /** {@code 127.0.0.1:7448}, {@code [::1]:7448}; never a host name. */
    public static String of(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** How this machine reaches what listens on {@code bind}: one does not connect to 0.0.0.0. */
    public static String toReach(InetSocketAddress bind) {
        return of(bind.getAddress().isAnyLocalAddress() ? new InetSocketAddress("127.0.0.1", bind.getPort()) : bind);
    }
}
