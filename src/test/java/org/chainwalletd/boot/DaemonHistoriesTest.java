package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.chainwalletd.boot.DaemonHistory.Restores;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random histories of three daemons on one database (scale-out.md, section 9), in which each of them crashes, pauses, is stopped, and loses
 * the database, the lease and the answers of its node. At the end each token has been paid once on the chain.
 */
@Tag("postgres")
class DaemonHistoriesTest {
    private static final int STEPS = Integer.getInteger("daemon.steps", 40);

    private static final int MOST_TOLD = 1_000;

    @TempDir
    Path folder;

    /** {@code -Ddaemon.histories=1000} takes hours. */
    @Test
    void each_token_is_paid_once_whatever_happens_to_three_daemons() {
        go("", Restores.NEVER, Integer.getInteger("daemon.histories", 2));
    }

    /** {@code -Ddaemon.restores=1000} takes hours. */
    @Test
    @Tag("long")
    void each_token_is_paid_once_by_three_daemons_whose_database_goes_back_in_time() {
        go("restored ", Restores.FROM_LOGS, Integer.getInteger("daemon.restores", 10));
    }

    private void go(String kind, Restores restores, int histories) {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < histories; i++) {
            HangWatch.alive();
            Random random = Seeded.random(kind + "history of daemons " + i);
            try (DaemonHistory history =
                    new DaemonHistory(folder.resolve("history-" + i), random, restores, Map.of())) {
                begin(history, random);
                history.run(STEPS);
                history.counts().forEach((what, times) -> counts.merge(what, times, Integer::sum));
            }
        }
        System.out.println(histories + " " + kind + "histories of three daemons: " + counts);
    }

    /** Starts some histories with late daemons, but rarely, because these take long. */
    private static void begin(DaemonHistory history, Random random) {
        switch (random.nextInt(24)) {
            case 0 -> history.denyLate();
            case 1 -> history.wakeLate();
            default -> {}
        }
    }

    @Test
    @Tag("long")
    void who_wakes_late_takes_back_nothing() {
        for (int i = 0; i < 2; i++) {
            HangWatch.alive();
            Random random = Seeded.random("history of late daemons " + i);
            try (DaemonHistory history =
                    new DaemonHistory(folder.resolve("history-" + i), random, Restores.NEVER, Map.of())) {
                if (i == 0) {
                    history.denyLate();
                } else {
                    history.wakeLate();
                }
                history.run(0);
            }
        }
    }

    /**
     * Runs histories of daemons that violate a rule until one of the histories is judged wrong.
     *
     * @param otherWords rewrites of statements, see {@link org.chainwalletd.store.postgres.DatabaseDoor}
     * @param statements that also remove the constraints of the tables
     * @param beginning start of each history
     */
    private void turnRed(
            String rule,
            Restores restores,
            Map<String, String> otherWords,
            List<String> statements,
            Consumer<DaemonHistory> beginning) {
        int histories = Integer.getInteger("daemon.mutants", 20);
        List<String> reds = new ArrayList<>();
        int exchanged = 0;
        for (int i = 0; i < histories && reds.isEmpty(); i++) {
            HangWatch.alive();
            Random random = Seeded.random("history of daemons without " + rule + " " + i);
            Path place = folder.resolve("history-" + i);
            try (DaemonHistory history = new DaemonHistory(place, random, restores, otherWords)) {
                history.run(statements);
                beginning.accept(history);
                judged(history).ifPresent(reds::add);
                exchanged += history.exchanged();
            }
        }
        System.out.println("without " + rule + ", " + exchanged + " statements exchanged: " + reds);
        assertThat(reds).as("wrong histories without " + rule).isNotEmpty();
    }

    private static Optional<String> judged(DaemonHistory history) {
        try {
            history.run(STEPS);
            return Optional.empty();
        } catch (AssertionError wrong) {
            String words = wrong.getMessage();
            if (!words.startsWith("[") && !words.startsWith(DaemonHistory.NOT_ENDED)) {
                // The history was not judged.
                throw wrong;
            }
            return Optional.of(words.substring(0, Math.min(MOST_TOLD, words.length())) + " … "
                    + words.substring(Math.max(0, words.length() - MOST_TOLD)));
        }
    }

    @Test
    @Tag("long")
    void without_the_store_lock_histories_go_wrong() {
        turnRed(
                "store lock",
                Restores.NEVER,
                Map.of("FROM store WHERE one = 1 FOR UPDATE\0", "FROM store WHERE one = 1           \0"),
                List.of(
                        "ALTER TABLE commits DROP CONSTRAINT commits_pkey",
                        "ALTER TABLE live_tokens DROP CONSTRAINT live_tokens_pkey",
                        "ALTER TABLE held_coins DROP CONSTRAINT held_coins_pkey"),
                DaemonHistory::payEverywhereAtOnce);
    }

    @Test
    @Tag("long")
    void without_the_check_of_runners_histories_go_wrong() {
        turnRed(
                "check of runners",
                Restores.NEVER,
                Map.of(
                        "AND runner = current_setting('walletd.runner')::bigint AND signed_off = 0 AND NOT",
                                "AND     -1 < current_setting('walletd.runner')::bigint AND         -1 < 0 AND NOT",
                        "former_runners WHERE spend = spends.id)", "former_runners WHERE spend =        -1)",
                        "JOIN spends ON id = spend WHERE spend = $1 AND former_runners.runner",
                                "JOIN spends ON false WHERE spend = $1 AND former_runners.runner",
                        "WHERE id = $1 AND signed_off = 0 AND runner = current_setting('walletd.runner')",
                                "WHERE id = $1 AND -1 < current_setting('walletd.runner')",
                        "FROM daemons WHERE NOT ended AND start <>", "FROM daemons WHERE false AND start <>"),
                List.of(),
                DaemonHistory::denyLate);
    }

    /** Writes queued by a former keeper are executed when it wakes up; the books keep their invariants. */
    @Test
    @Tag("long")
    void without_the_keepers_epoch_histories_go_wrong() {
        turnRed(
                "keeper's epoch",
                Restores.NEVER,
                Map.of("keeper.start AS keeper,", "0::bigint AS keeper,"),
                List.of(),
                DaemonHistory::wakeLate);
    }

    @Test
    @Tag("long")
    void without_sent_logs_histories_go_wrong() {
        turnRed("sent.log", Restores.WITHOUT_LOGS, Map.of(), List.of(), history -> {});
    }
}
