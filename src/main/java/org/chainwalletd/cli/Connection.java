package org.chainwalletd.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Settings;
import org.chainwalletd.observe.Printable;
import org.chainwalletd.rpc.Repetition;
import org.chainwalletd.store.files.DatadirLock;

/**
 * Connection of a command to a running daemon. URL and credentials come from the command's options, else from the client's variables, else
 * from the datadir and configuration of the daemon on this machine. Also maps the daemon's errors to exit codes.
 *
 * @param pin fingerprint of the only trusted certificate
 */
record Connection(URI url, String token, Optional<String> pin) {
    /** @param scope scope of the default token */
    static List<Command.Flag> flags(String scope) {
        return List.of(
                new Command.Flag("--url", "url", "the daemon; default WALLETD_URL, else the configured --bind"),
                new Command.Flag(
                        "--scope", "scope", "which token file to use: read, manage or spend; default " + scope),
                new Command.Flag(
                        "--fingerprint",
                        "sha256:...",
                        "certificate to trust; default WALLETD_FINGERPRINT, else the datadir's when the URL is not given"));
    }

    /** @throws IllegalArgumentException for an invalid URL, or one to which a token must not be sent */
    static Connection of(Invocation invocation, Settings settings, String scope) {
        URI url = url(invocation, settings);
        refuseClearText(url, settings.http().listening().bind());
        return new Connection(url, token(invocation, settings, scope, url), pin(invocation, settings, url));
    }

    /** Refuses a connection without TLS to another machine, because the token could be read on the network. */
    private static void refuseClearText(URI url, InetSocketAddress bind) {
        boolean stays = isLoopback(url) || isConfigured(url, bind) && isOfThisMachine(bind.getAddress());
        if (!"https".equalsIgnoreCase(url.getScheme()) && !stays) {
            throw new IllegalArgumentException(
                    url + " would carry the token in clear over the network: serve with --tls and use https://");
        }
    }

    private static boolean isConfigured(URI url, InetSocketAddress bind) {
        return HostPort.toReach(bind).equals(url.getAuthority());
    }

    private static boolean isLoopback(URI url) {
        String host = url.getHost();
        if (host == null || !host.startsWith("[") && !host.matches("[0-9.]+")) {
            return "localhost".equalsIgnoreCase(host);
        }
        try {
            // The host is a literal address, so no lookup is made that someone else could answer.
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /**
     * @param timeout timeout of one call
     * @throws IllegalArgumentException for an invalid token or fingerprint
     */
    WalletdClient client(Duration timeout) {
        return new WalletdClient(url, token, pin, timeout);
    }

    /** Prints the failure of a call without effects, and returns the exit code. */
    static int failed(Invocation invocation, WalletdException failure) {
        return failed(invocation, failure, Repetition.HARMLESS);
    }

    /** Prints the failure, and returns the exit code. */
    static int failed(Invocation invocation, WalletdException failure, Repetition call) {
        if (failure instanceof WalletdException.RpcError error) {
            String data = error.data() == null ? "" : " " + error.data();
            return invocation.fail(
                    codeOf(error, call),
                    Lines.one("error " + error.code() + ": " + error.getMessage() + data + advice(invocation, error)));
        }
        int code = failure instanceof WalletdException.FingerprintMismatch
                ? ExitCode.WRONG_CERTIFICATE
                : ExitCode.NO_ANSWER;
        return invocation.fail(code, Lines.one(failure.getMessage()));
    }

    private static String advice(Invocation invocation, WalletdException.RpcError error) {
        boolean ownChoice = error.kind() == WalletdException.Kind.AUTHENTICATION
                && variable(invocation, WalletdClient.TOKEN_VARIABLE).isEmpty()
                && invocation.option("--scope").isEmpty();
        return ownChoice ? " (the read token was shown; --scope manage and --scope spend show the others)" : "";
    }

    /** Returns the exit code of an error, which depends on the caller's options for recovery. */
    static int codeOf(WalletdException.RpcError error, Repetition call) {
        return switch (error.kind()) {
            case AUTHENTICATION -> ExitCode.UNAUTHORIZED;
            case PARSE, METHOD_NOT_FOUND, INVALID_PARAMS -> ExitCode.BAD_CALL;
            default ->
                error.code() == ErrorCode.INVALID_REQUEST.code()
                        ? ExitCode.BAD_CALL
                        : ErrorCode.of(error.code())
                                .map(code -> codeOf(error, call.verdict(code)))
                                .orElse(ExitCode.REFUSED);
        };
    }

    private static int codeOf(WalletdException.RpcError error, Repetition.Verdict verdict) {
        return switch (verdict) {
            case YES, SAME_TOKEN -> ExitCode.TRY_AGAIN;
            case LOOK_FIRST -> ExitCode.NO_ANSWER;
            case IF_IN_FLIGHT ->
                error.data("in_flight_reserved").map(JsonNode::asBoolean).orElse(false)
                        ? ExitCode.TRY_AGAIN
                        : ExitCode.REFUSED;
            case NO -> ExitCode.REFUSED;
        };
    }

    private static Optional<String> givenUrl(Invocation invocation) {
        return given(invocation, "--url", WalletdClient.URL_VARIABLE);
    }

    private static Optional<String> given(Invocation invocation, String flag, String variable) {
        return invocation
                .option(flag)
                .or(() -> Optional.ofNullable(invocation.flags().get(flag)))
                .or(() -> variable(invocation, variable));
    }

    private static Optional<String> variable(Invocation invocation, String name) {
        return Optional.ofNullable(invocation.environment().get(name));
    }

    /**
     * Determines the URL: the given one, else the one that the daemon running on the datadir has recorded there, else that of the
     * configuration.
     */
    private static URI url(Invocation invocation, Settings settings) {
        return givenUrl(invocation)
                .map(URI::create)
                .or(() -> given(invocation, Option.BIND.flag(), Option.BIND.variable("chain"))
                                .isPresent()
                        ? Optional.empty()
                        : toldBy(settings.datadir()))
                .orElseGet(() -> {
                    Settings.Http http = settings.http();
                    return URI.create((http.tls() ? "https://" : "http://")
                            + HostPort.toReach(http.listening().bind()) + "/");
                });
    }

    /**
     * Reads the URL that the running daemon has recorded in the datadir, unless another user can change the record: no other user may choose
     * the server to which tokens are sent.
     */
    private static Optional<URI> toldBy(Path datadir) {
        try {
            boolean changeable = FileAccess.of(datadir).objectionToContent().isPresent()
                    || FileAccess.of(datadir.resolve(DatadirLock.HOLDER_FILE))
                            .objectionToContent()
                            .isPresent();
            return changeable
                    ? Optional.empty()
                    : DatadirLock.Holder.of(datadir).flatMap(DatadirLock.Holder::url);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String token(Invocation invocation, Settings settings, String usual, URI url) {
        Optional<String> given = variable(invocation, WalletdClient.TOKEN_VARIABLE);
        if (given.isPresent()) {
            return given.get();
        }
        boolean own = isConfigured(url, settings.http().listening().bind())
                || toldBy(settings.datadir()).filter(url::equals).isPresent();
        if (!isLoopback(url) && !own) {
            throw new IllegalArgumentException("the tokens of this machine's daemon are not shown to " + url
                    + ": put the token of the daemon there into WALLETD_AUTH_TOKEN");
        }
        String scope = invocation.option("--scope").orElse(usual);
        if (Arrays.stream(Scope.values()).map(Scope::word).noneMatch(scope::equals)) {
            throw new IllegalArgumentException("--scope is read, manage or spend, not " + Printable.text(scope));
        }
        String configured = settings.http().tokenFlags().get(scope);
        if (configured != null) {
            return configured;
        }
        Path file = settings.datadir().resolve("token-" + scope);
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new StartupException("cannot read the token file " + file + ": "
                    + ownerOf(settings.datadir())
                            .map(owner -> "the datadir is private to the user " + owner
                                    + ", so run this as that user (sudo -u " + owner
                                    + " ...), or set WALLETD_AUTH_TOKEN")
                            .orElse("set WALLETD_AUTH_TOKEN, or name the daemon's datadir with --datadir"));
        }
    }

    /** Returns the owner of a datadir that this user may not access; empty if it is accessible or missing. */
    private static Optional<String> ownerOf(Path datadir) {
        try {
            return Files.isDirectory(datadir) && !Files.isExecutable(datadir)
                    ? Optional.of(Files.getOwner(datadir).getName())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the fingerprint to trust. For the configured daemon it is read from the datadir, because a user who can read the token there
     * need not pass it.
     */
    private static Optional<String> pin(Invocation invocation, Settings settings, URI url) {
        Optional<String> given = given(invocation, "--fingerprint", WalletdClient.FINGERPRINT_VARIABLE);
        if (given.isPresent() || givenUrl(invocation).isPresent() || !"https".equals(url.getScheme())) {
            return given;
        }
        Path file = settings.datadir().resolve("cert.fingerprint");
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException e) {
            throw new StartupException("cannot read the fingerprint of the daemon's certificate in " + file
                    + ": set WALLETD_FINGERPRINT, or name the daemon's datadir with --datadir");
        }
    }
}
