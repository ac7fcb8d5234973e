package org.chainwalletd.cli;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.boot.DatabaseStore;
import org.chainwalletd.boot.RestoredStore;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.store.StoreException;

/** Makes the daemon go on with a store that was restored from a copy, emptied or lost. */
final class StoreCommand implements Command {
    private static final String RESTORED = "restored";
    private static final String LOG = "sent.log";

    @Override
    public String word() {
        return "store";
    }

    @Override
    public String summary() {
        return "store restored: goes on with a walletd.db or database that has forgotten payments, after entering what"
                + " sent.log knows of them. The daemon is stopped meanwhile.";
    }

    @Override
    public List<String> arguments() {
        return List.of("action");
    }

    @Override
    public List<Flag> flags() {
        return List.of(new Flag(
                "--without",
                "name",
                "sent.log, or the name of another datadir's log: goes on although it is lost, damaged or too old; payments"
                        + " stay forgotten"));
    }

    @Override
    public int run(Invocation invocation) {
        Optional<String> without = invocation.option("--without");
        Settings settings = invocation.configuration().settings();
        Optional<Settings.Database> database = settings.database();
        if (!invocation.arguments().get(0).equals(RESTORED)
                || database.isEmpty()
                        && without.filter(name -> !name.equals(LOG)).isPresent()) {
            return invocation.fail(ExitCode.USAGE, "say store restored, or store restored --without " + LOG);
        }
        try {
            if (database.isPresent()) {
                DatabaseStore.restore(
                        settings, database.get(), without.map(Set::of).orElse(Set.of()), invocation.out()::println);
            } else {
                RestoredStore.restore(settings.datadir(), without.isPresent(), invocation.out()::println);
            }
            return ExitCode.OK;
        } catch (IOException | StoreException e) {
            throw new StartupException(e.getMessage());
        }
    }
}
