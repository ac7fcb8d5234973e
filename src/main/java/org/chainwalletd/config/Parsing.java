package org.chainwalletd.config;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.evm.EvmAddress;

/** Parser of option values. Every method throws {@link IllegalArgumentException} with a message that completes "--flag value …". */
final class Parsing {
    private static final Pattern HOST_PORT =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.%a-z]+)]|([^:\\[\\]\\s]+)):(\\d{1,5})");
    private static final Pattern LITERAL_V4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    private static final Pattern BRAND_WORD = Pattern.compile("[a-z]{2,16}");

    private static final int MAX_TOKEN_FILE_BYTES = 4096;

    private Parsing() {}

    static boolean truth(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on", "1" -> true;
            case "false", "no", "off", "0" -> false;
            default -> throw new IllegalArgumentException("must be true or false");
        };
    }

    static long number(String text, long least, long most) {
        try {
            long number = Long.parseLong(text.replace("_", ""));
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a whole number", e);
        }
        throw new IllegalArgumentException(
                most == Long.MAX_VALUE ? "must be at least " + least : "must be from " + least + " to " + most);
    }

    static Amount amount(String text) {
        try {
            return Amount.of(new BigInteger(text.replace("_", "")));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("must be a number of base units, from 0 to 18446744073709551615", e);
        }
    }

    static Hash256 hash(String text) {
        try {
            return Hash256.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be 64 hex characters", e);
        }
    }

    static Network network(String text) {
        return Network.ofWord(text)
                .orElseThrow(() -> new IllegalArgumentException("must be mainnet, testnet or devnet"));
    }

    static Settings.Checkpoint checkpoint(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 2) {
            throw new IllegalArgumentException("must be height:id");
        }
        return new Settings.Checkpoint(number(parts[0], 0, Long.MAX_VALUE), hash(parts[1]));
    }

    static long height(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "full" -> 0;
            case "now" -> Settings.Follow.NOW;
            default -> number(text, 0, Long.MAX_VALUE - 1);
        };
    }

    static boolean ledgerFirst(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "node" -> false;
            case "ledger" -> true;
            default -> throw new IllegalArgumentException("must be node or ledger");
        };
    }

    /** Parses the scopes whose classic tokens are accepted. */
    static Set<String> classicTokens(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "all" -> Set.of("read", "manage", "spend");
            case "read" -> Set.of("read");
            case "none" -> Set.of();
            default -> throw new IllegalArgumentException("must be all, read or none");
        };
    }

    static Settings.EvmFinality finality(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "finalized" -> new Settings.EvmFinality.Tag("finalized");
            case "safe" -> new Settings.EvmFinality.Tag("safe");
            default -> new Settings.EvmFinality.Blocks(number(text, 1, 1_000_000));
        };
    }

    static String brandWord(String text) {
        if (!BRAND_WORD.matcher(text).matches()) {
            throw new IllegalArgumentException("must be 2 to 16 lower-case letters");
        }
        return text;
    }

    static List<Address> addresses(String text) {
        return words(text).stream().map(Address::parse).toList();
    }

    static List<EvmAddress> evmAddresses(String text) {
        return words(text).stream().map(EvmAddress::parse).toList();
    }

    /** Parses a code hash, with or without {@code 0x}. */
    static Hash256 codeHash(String text) {
        return hash(text.startsWith("0x") ? text.substring(2) : text);
    }

    static List<String> words(String text) {
        if (text.isBlank()) {
            return List.of();
        }
        List<String> words =
                Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        if (words.stream().anyMatch(word -> word.isEmpty() || word.chars().anyMatch(Character::isWhitespace))) {
            throw new IllegalArgumentException("has an empty item or one with a space");
        }
        return words;
    }

    static URI url(String text) {
        try {
            URI url = new URI(text);
            String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
            if (!scheme.equals("http") && !scheme.equals("https")) {
                throw new IllegalArgumentException("must start with http:// or https://");
            }
            if (url.getHost() == null || url.getPort() == 0 || url.getPort() > 65_535) {
                throw new IllegalArgumentException("must name a host, such as http://127.0.0.1:9334");
            }
            if (url.getUserInfo() != null || url.getFragment() != null) {
                throw new IllegalArgumentException("must not hold a user, a password or a fragment");
            }
            return url;
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("must be a URL, such as http://127.0.0.1:9334", e);
        }
    }

    static List<URI> urls(String text) {
        List<URI> urls = words(text).stream().map(Parsing::url).toList();
        if (urls.isEmpty()) {
            throw new IllegalArgumentException("must name at least one node");
        }
        if (urls.stream().distinct().count() != urls.size()) {
            throw new IllegalArgumentException("names a node twice");
        }
        return urls;
    }

    static InetSocketAddress address(String text) {
        Matcher parts = HOST_PORT.matcher(text);
        if (!parts.matches() || Integer.parseInt(parts.group(3)) > 65_535) {
            throw new IllegalArgumentException("must be host:port, such as 127.0.0.1:7448 or [::1]:7448");
        }
        String host = parts.group(1) != null ? parts.group(1) : parts.group(2);
        if (parts.group(1) == null
                && host.matches("[0-9.]+")
                && !LITERAL_V4.matcher(host).matches()) {
            throw new IllegalArgumentException("must name a complete IP address");
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(parts.group(3)));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("names a host that cannot be found", e);
        }
    }

    /** Parses IP addresses and networks in CIDR notation; host names are refused, because they cannot be trusted. */
    static List<String> networks(String text) {
        List<String> networks = new ArrayList<>();
        for (String word : words(text)) {
            String[] parts = word.split("/", 2);
            boolean v6 = parts[0].contains(":");
            if (!v6 && !LITERAL_V4.matcher(parts[0]).matches()) {
                throw new IllegalArgumentException("must be IP addresses or networks, such as 10.0.0.0/8");
            }
            try {
                InetAddress.getByName(parts[0]);
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("must be IP addresses or networks, such as 10.0.0.0/8", e);
            }
            if (parts.length == 2) {
                number(parts[1], 0, v6 ? 128 : 32);
            }
            networks.add(word);
        }
        return List.copyOf(networks);
    }

    /** Reads a token from a file that contains nothing else; surrounding white space is removed. */
    static String tokenIn(String path) {
        try {
            Path file = Path.of(path);
            if (Files.size(file) > MAX_TOKEN_FILE_BYTES) {
                throw new IllegalArgumentException("is too long for a token");
            }
            return token(Files.readString(file).strip());
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot be read: " + e, e);
        }
    }

    static String token(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("is empty; give a token or leave it out");
        }
        if (!text.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new IllegalArgumentException("must be printable ASCII without spaces");
        }
        return text;
    }
}
