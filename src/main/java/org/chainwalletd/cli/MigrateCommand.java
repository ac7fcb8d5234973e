package org.chainwalletd.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.boot.DatabaseStore;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Migrate;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.store.Store;

/** Command that imports raw secrets from files into the keyring. */
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
        KeyringSetup setup = KeyringSetup.offline(settings.chain(), settings.wallets());
        if (settings.database().flatMap(DatabaseStore::lookAtKeyring).isEmpty()) {
            return migrate(invocation, setup, passphrase, Path.of(from.get()));
        }
        // Migrate locks the datadir before it opens the store.
        AtomicReference<Store> store = new AtomicReference<>();
        try {
            return migrate(
                    invocation,
                    setup.withStore(() -> DatabaseStore.keyringOffline(
                            settings, settings.database().get(), setup, passphrase, store::set)),
                    passphrase,
                    Path.of(from.get()));
        } finally {
            Optional.ofNullable(store.get()).ifPresent(Store::close);
        }
    }

    private static int migrate(Invocation invocation, KeyringSetup setup, SecretBytes passphrase, Path from) {
        return new Migrate(setup, invocation.out(), invocation.streams().err()).run(passphrase, from);
    }
}
