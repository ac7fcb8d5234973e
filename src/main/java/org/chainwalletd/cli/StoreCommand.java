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

/**
 * Command that lets daemons continue with a store that was restored from a backup, emptied or lost, or whose database has failed over, and
 * that moves a store into a database and back.
 */
final class StoreCommand implements Command {
    private static final String MOVE = "move";
    private static final String RESTORED = "restored";
    private static final String CONFIRM_FAILOVER = "confirm-failover";
    private static final String WITHOUT = "--without";
    private static final String LOG = "sent.log";
    private static final String BACK = "--back";
    private static final String GIVE_UP = "--give-up";

    @Override
    public String word() {
        return "store";
    }

    @Override
    public String summary() {
        return "store restored: goes on with a walletd.db or database that has forgotten payments, after entering what"
                + " sent.log knows of them. The daemon is stopped meanwhile. store confirm-failover: after a planned fail-over"
                + " of the PostgreSQL server lets payments go on although a daemon that has not ended stays silent; you have"
                + " made sure that the new primary has everything. store move: moves the payments of walletd.db into the empty"
                + " PostgreSQL database that --store names, while the daemon is stopped; run it again when it was interrupted."
                + " store move --back: moves payments, keys, books and tokens of that database back into files of the last datadir"
                + " that works with it, while all daemons are stopped; store move --give-up: goes on with the database instead,"
                + " as long as it is not marked as moved.";
    }

    @Override
    public List<String> arguments() {
        return List.of("action");
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                new Flag(BACK, "", "move: from the database to files of the datadir"),
                new Flag(
                        GIVE_UP,
                        "",
                        "move: gives up a move back that was interrupted, so that daemons open the database"),
                new Flag(
                        WITHOUT,
                        "name",
                        "restored: sent.log, or the name of another datadir's log: goes on although it is lost, damaged or too old; payments"
                                + " stay forgotten"));
    }

    @Override
    public int run(Invocation invocation) {
        String action = invocation.arguments().get(0);
        Optional<String> without = invocation.option(WITHOUT);
        Settings settings = invocation.configuration().settings();
        Optional<Settings.Database> database = settings.database();
        boolean back = invocation.option(BACK).isPresent();
        boolean givesUp = invocation.option(GIVE_UP).isPresent();
        Optional<String> mistake = (back || givesUp) && !action.equals(MOVE) || back && givesUp
                ? Optional.of("say store move, store move --back or store move --give-up")
                : mistake(action, without, database.isPresent());
        if (mistake.isPresent()) {
            return invocation.fail(ExitCode.USAGE, mistake.get());
        }
        try {
            if (back) {
                DatabaseStore.moveBack(settings, database.orElseThrow(), invocation.out()::println);
            } else if (givesUp) {
                DatabaseStore.giveUpMoveBack(database.orElseThrow(), invocation.out()::println);
            } else if (action.equals(MOVE)) {
                DatabaseStore.move(settings, database.orElseThrow(), invocation.out()::println);
            } else if (action.equals(CONFIRM_FAILOVER)) {
                DatabaseStore.confirmFailover(database.orElseThrow(), invocation.out()::println);
            } else if (database.isPresent()) {
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

    private static Optional<String> mistake(String action, Optional<String> without, boolean database) {
        if (action.equals(CONFIRM_FAILOVER) || action.equals(MOVE)) {
            if (without.isPresent()) {
                return Optional.of(WITHOUT + " does nothing for store " + action);
            }
            return database
                    ? Optional.empty()
                    : Optional.of("store " + action + " is for payments in PostgreSQL: name the database with --store");
        }
        if (!action.equals(RESTORED)) {
            return Optional.of("say store " + RESTORED + ", store " + CONFIRM_FAILOVER + " or store " + MOVE);
        }
        return without.filter(name -> !database && !name.equals(LOG))
                .map(name -> "say store " + RESTORED + ", or store " + RESTORED + " " + WITHOUT + " " + LOG);
    }
}
