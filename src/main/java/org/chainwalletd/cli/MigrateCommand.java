package org.chainwalletd.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Migrate;

/** Takes raw secrets from files into the keyring. */
final class MigrateCommand implements Command {
    @Override
    public String word() {
        return "migrate";
    }

    @Override
    public String summary() {
        return "Imports raw 32-byte secrets from the files <address>.key of a folder, sealed under the keystore passphrase.";
    }

    @Override
    public List<Flag> flags() {
        return List.of(new Flag("--from", "dir", "the folder; its files stay as they are"));
    }

    @Override
    public int run(Invocation invocation) {
        Optional<String> from = invocation.option("--from");
        if (from.isEmpty()) {
            return invocation.fail(ExitCode.USAGE, "migrate needs --from <dir>");
        }
        Settings settings = invocation.configuration().settings();
        SecretBytes passphrase =
                Passphrase.from(invocation.environment(), settings.keyring().passphraseFile());
        return new Migrate(
                        InitSeededCommand.setup(settings),
                        invocation.out(),
                        invocation.streams().err())
                .run(passphrase, Path.of(from.get()));
    }
}
