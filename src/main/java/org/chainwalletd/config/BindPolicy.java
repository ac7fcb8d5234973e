package org.chainwalletd.config;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** Policy for the addresses on which the daemon may listen (interface.md, section 5.4). No side effects. */
public final class BindPolicy {
    /** Range from which an address can be reached. */
    public enum Reach {
        LOOPBACK,
        PRIVATE,
        PUBLIC
    }

    /** @param refusal reason why the daemon must not start, and the remedy; empty if it may */
    public record Verdict(Reach reach, Optional<String> refusal, List<String> warnings) {}

    private BindPolicy() {}

    /** @param tokenSet whether a token was configured by flag, variable or file */
    public static Verdict check(InetSocketAddress bind, boolean tls, boolean allowPublicBind, boolean tokenSet) {
        Reach reach = reachOf(bind.getAddress());
        String shown = HostPort.of(bind);
        return switch (reach) {
            case LOOPBACK -> new Verdict(reach, Optional.empty(), List.of());
            case PRIVATE -> new Verdict(reach, Optional.empty(), privateWarnings(shown, tls, tokenSet));
            case PUBLIC ->
                tls || allowPublicBind
                        ? new Verdict(reach, Optional.empty(), List.of())
                        : new Verdict(
                                reach,
                                Optional.of("--bind " + shown
                                        + " can be reached from outside and tokens would travel in clear: "
                                        + "bind to 127.0.0.1, or serve TLS with --tls, "
                                        + "or say --allow-public-bind when a TLS terminator stands in front"),
                                List.of());
        };
    }

    private static List<String> privateWarnings(String shown, boolean tls, boolean tokenSet) {
        if (tokenSet) {
            return List.of();
        }
        return List.of("--bind " + shown + " is open to its private network and no token is set: "
                + "hand out the generated token files with care" + (tls ? "" : ", and consider --tls"));
    }

    /**
     * Returns the reach of an address: loopback; private for RFC 1918, unique local and link-local addresses; public for all others,
     * including unspecified addresses.
     */
    public static Reach reachOf(InetAddress address) {
        if (address.isLoopbackAddress()) {
            return Reach.LOOPBACK;
        }
        if (address.isAnyLocalAddress()) {
            return Reach.PUBLIC;
        }
        byte[] octets = address.getAddress();
        boolean uniqueLocal = !(address instanceof Inet4Address) && (octets[0] & 0xFE) == 0xFC;
        boolean rfc1918 = address instanceof Inet4Address && address.isSiteLocalAddress();
        return uniqueLocal || rfc1918 || address.isLinkLocalAddress() ? Reach.PRIVATE : Reach.PUBLIC;
    }
}
