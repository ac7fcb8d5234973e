package org.chainwalletd.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.api.Scope;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.Tokens;

/** Replaces a bearer token. */
final class TokenCommand implements Command {
    private static final String ROTATE = "rotate";

    @Override
    public String word() {
        return "token";
    }

    @Override
    public String summary() {
        return "token rotate read|manage|spend: puts a new token into the scope's file and prints it once. "
                + "A running daemon takes it, and refuses the old one, within 5 seconds, at once when it is sent SIGHUP.";
    }

    @Override
    public List<String> arguments() {
        return List.of("action", "scope");
    }

    @Override
    public int run(Invocation invocation) {
        String action = invocation.arguments().get(0);
        String word = invocation.arguments().get(1);
        Optional<Scope> scope = Arrays.stream(Scope.values())
                .filter(each -> each.word().equals(word))
                .findFirst();
        if (!action.equals(ROTATE) || scope.isEmpty()) {
            return invocation.fail(ExitCode.USAGE, "say token rotate read, token rotate manage or token rotate spend");
        }
        Settings settings = invocation.configuration().settings();
        if (settings.http().tokenFlags().containsKey(word)) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "the " + word + " token comes from a flag, a variable or the configuration file: change it there");
        }
        return rotate(invocation, settings.datadir(), scope.get());
    }

    private static int rotate(Invocation invocation, Path datadir, Scope scope) {
        try {
            String token = Tokens.rotate(datadir, scope);
            invocation.out().println(token);
            invocation
                    .streams()
                    .err()
                    .println("new " + scope.word() + " token in " + datadir
                            + "; a running daemon takes it within 5 seconds, at once when it is sent SIGHUP");
            return ExitCode.OK;
        } catch (IOException | Tokens.TokenException e) {
            throw new StartupException("the token was not replaced: " + e.getMessage());
        }
    }
}
