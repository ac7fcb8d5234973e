package org.chainwalletd.cli;

import java.nio.file.Path;
import java.util.List;
import org.chainwalletd.boot.DatabaseStore;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.InitSeeded;
import org.chainwalletd.keyring.store.KeyringSetup;

/** Command that creates a legacy keyring whose keys all derive from one phrase. */
final class InitSeededCommand implements Command {
    @Override
    public String word() {
        return "init-seeded";
    }

    @Override
    public String summary() {
        return "Makes a seeded (legacy HD) keyring in a datadir that has none, and prints its phrase as one line of JSON.";
    }

    @Override
    public List<Flag> flags() {
        return List.of(new Flag("--mnemonic-file", "file", "24 words to use instead of new ones"));
    }

    @Override
    public int run(Invocation invocation) {
        Settings settings = invocation.configuration().settings();
        if (settings.database().flatMap(DatabaseStore::lookAtKeyring).isPresent()) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "there is a keyring already in " + settings.database().get()
                            + ": name another database with --store");
        }
        SecretBytes passphrase =
                Passphrase.from(invocation.environment(), settings.keyring().passphraseFile());
        return new InitSeeded(
                        KeyringSetup.offline(settings.chain(), settings.wallets()),
                        invocation.out(),
                        invocation.streams().err())
                .run(passphrase, invocation.option("--mnemonic-file").map(Path::of));
    }
}
