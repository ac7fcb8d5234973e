package org.chainwalletd.config;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parser of {@code --store} when it names a PostgreSQL server: {@code postgresql://user@host:port[,host:port]/database[?sslmode=…]}. Every
 * method throws {@link IllegalArgumentException} with a message that completes "--flag value …"; no message contains a password.
 */
final class DatabaseUrl {
    static final String PASSWORD_VARIABLE = "WALLETD_STORE_PASSWORD";

    private static final String VERIFIED = "verify-full";
    private static final String PLAIN = "disable";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.$-]{1,63}");
    private static final Pattern HOST =
            Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::(\\d{1,5}))?");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Set<String> PARAMETERS = Set.of("sslmode", "sslrootcert");
    private static final int DEFAULT_PORT = 5_432;

    private DatabaseUrl() {}

    /** Whether {@code text} contains a password, so that it must not be repeated in a message. */
    static boolean showsPassword(String text) {
        return text.startsWith("postgres") && text.matches("[^@]*://[^@]*:.*@.*|.*[?&](?i:password)=.*");
    }

    /** Parses the option; empty for {@code sqlite}. */
    static Optional<Settings.Database> parse(
            String text,
            Optional<Path> passwordFile,
            Optional<String> password,
            Optional<URI> advertised,
            Optional<Settings.Cluster> cluster) {
        if (text.equals("sqlite")) {
            return Optional.empty();
        }
        if (!text.startsWith(Settings.Database.SCHEME)) {
            throw refused("must be sqlite or " + Settings.Database.SCHEME + "user@host:port/database");
        }
        String rest = text.substring(Settings.Database.SCHEME.length());
        int query = rest.indexOf('?');
        Map<String, String> parameters = query < 0 ? Map.of() : parameters(rest.substring(query + 1));
        String place = query < 0 ? rest : rest.substring(0, query);
        int at = place.lastIndexOf('@');
        if (at < 0) {
            throw refused("must name a user, as in " + Settings.Database.SCHEME + "user@host:port/database");
        }
        String user = place.substring(0, at);
        String[] parts = place.substring(at + 1).split("/", -1);
        if (user.indexOf(':') >= 0) {
            throw refused("must not hold a password, which everybody on this machine could read: put it into "
                    + PASSWORD_VARIABLE + " or into a file that --store-password-file names");
        }
        if (!NAME.matcher(user).matches()) {
            throw refused("must name a user of letters, digits and _ . $ -");
        }
        if (parts.length != 2 || !NAME.matcher(parts[1]).matches()) {
            throw refused("must name one database of letters, digits and _ . $ -, as in " + Settings.Database.SCHEME
                    + "user@host:port/database");
        }
        List<String> hosts = hosts(parts[0]);
        return Optional.of(new Settings.Database(
                user,
                hosts,
                parts[1],
                tls(parameters, hosts),
                Optional.ofNullable(parameters.get("sslrootcert")).map(Path::of),
                passwordFile,
                password,
                advertised,
                cluster));
    }

    private static List<String> hosts(String text) {
        if (text.isEmpty() || text.startsWith("%2F")) {
            throw refused("must name a host: PostgreSQL is reached over TCP, on this machine at 127.0.0.1");
        }
        List<String> hosts = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            Matcher parts = HOST.matcher(word);
            if (!parts.matches()) {
                throw refused("must name hosts as host:port or [ipv6]:port, with commas between them");
            }
            int port = parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2));
            if (port < 1 || port > 65_535) {
                throw refused("must name a port from 1 to 65535");
            }
            String host = parts.group(1) + ":" + port;
            if (hosts.contains(host)) {
                throw refused("names a host twice");
            }
            hosts.add(host);
        }
        return List.copyOf(hosts);
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new HashMap<>();
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (name.equals("password")) {
                throw refused("must not hold a password, which everybody on this machine could read: put it into "
                        + PASSWORD_VARIABLE + " or into a file that --store-password-file names");
            }
            if (equals < 0 || equals == pair.length() - 1 || !PARAMETERS.contains(name)) {
                throw refused("may only have the parameters sslmode and sslrootcert, each with a value");
            }
            if (parameters.put(name, decoded(pair.substring(equals + 1))) != null) {
                throw refused("has the parameter " + name + " twice");
            }
        }
        return parameters;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("has a parameter that is not percent-encoded", e);
        }
    }

    /** Whether the connection is encrypted and the server's certificate and host name are verified. */
    private static boolean tls(Map<String, String> parameters, List<String> hosts) {
        boolean here = hosts.stream()
                .allMatch(host -> LOOPBACK.matcher(host.substring(0, host.lastIndexOf(':')))
                        .matches());
        String mode = parameters.get("sslmode");
        if (mode == null && !here || mode != null && !mode.equals(VERIFIED) && !(here && mode.equals(PLAIN))) {
            throw refused(
                    here
                            ? "must say sslmode=" + PLAIN + " or sslmode=" + VERIFIED
                            : "needs sslmode=" + VERIFIED
                                    + " for a server on another machine: whoever is between could otherwise read and change payments");
        }
        boolean verified = VERIFIED.equals(mode);
        if (!verified && parameters.containsKey("sslrootcert")) {
            throw refused("has sslrootcert, which does nothing without sslmode=" + VERIFIED);
        }
        return verified;
    }

    private static IllegalArgumentException refused(String why) {
        return new IllegalArgumentException(why);
    }
}
