package org.chainwalletd.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.boot.DatabaseStore;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.observe.Printable;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.postgres.PostgresCluster;

/**
 * Command that shows the daemons of a PostgreSQL database, and records facts that the database cannot know about them. The daemons may be
 * running.
 */
final class ClusterCommand implements Command {
    private static final String STATUS = "status";
    private static final String FORGET = "forget";
    private static final String SET = "set";
    private static final String FINISH = "finish-upgrade";
    private static final String CERTIFICATE = "tls-certificate";
    private static final String OUTPUT = "--output";
    private static final String JSON = "json";
    private static final String TABLE = "table";

    @Override
    public String word() {
        return "cluster";
    }

    @Override
    public String summary() {
        return "cluster status: prints the daemons that work or have worked on the PostgreSQL database of --store, and what keeps"
                + " it from paying. cluster forget START: declares that a start of a daemon which has not ended can never send"
                + " anything again, because its machine or its process is gone for good: payments that it may have sent can be"
                + " abandoned and recalled then. cluster set caps|read-token|manage-token|spend-token|tls-certificate: makes what"
                + " these options and this datadir have that of all daemons of the database; those that run take caps and tokens"
                + " at once, a certificate at their next start. cluster finish-upgrade: refuses daemons of the release before from"
                + " now on, when all are upgraded; until then both run beside each other.";
    }

    @Override
    public List<String> arguments() {
        return List.of("action", "[what]");
    }

    @Override
    public List<Flag> flags() {
        return List.of(new Flag(OUTPUT, "form", "status: table, which is the default, or json"));
    }

    @Override
    public int run(Invocation invocation) {
        String action = invocation.arguments().get(0);
        String form = invocation.option(OUTPUT).orElse(TABLE);
        Optional<String> mistake = mistake(action, invocation);
        if (mistake.isPresent()) {
            return invocation.fail(ExitCode.USAGE, mistake.get());
        }
        if (!form.equals(JSON) && !form.equals(TABLE)) {
            return invocation.fail(ExitCode.USAGE, OUTPUT + " is " + TABLE + " or " + JSON + ", not " + form);
        }
        Optional<Settings.Database> database =
                invocation.configuration().settings().database();
        if (database.isEmpty()) {
            return invocation.fail(
                    ExitCode.USAGE, "cluster is for payments in PostgreSQL: name the database with --store");
        }
        try {
            if (action.equals(SET)) {
                String name = invocation.arguments().get(1);
                DatabaseStore.set(invocation.configuration().settings(), database.get(), name);
                invocation
                        .out()
                        .println(Printable.text(name + " of this configuration is that of all daemons from now on"
                                + (name.equals(CERTIFICATE) ? "; start them again" : "")));
                return ExitCode.OK;
            }
            PostgresCluster cluster = DatabaseStore.cluster(database.get());
            if (action.equals(FORGET)) {
                PostgresCluster.Start start =
                        cluster.forget(Long.parseLong(invocation.arguments().get(1)));
                invocation.out().println(Printable.text(forgotten(start)));
                return ExitCode.OK;
            }
            if (action.equals(FINISH)) {
                invocation
                        .out()
                        .println(
                                cluster.finishUpgrade()
                                        ? "the upgrade is finished: daemons of earlier releases are refused from now on"
                                        : "the upgrade was finished before: nothing was done");
                return ExitCode.OK;
            }
            PostgresCluster.Status status = cluster.status();
            List<String> lines = form.equals(JSON) ? ResultText.json(json(status), false) : table(status);
            lines.forEach(line -> invocation.out().println(Printable.text(line)));
            return ExitCode.OK;
        } catch (IOException | StoreException e) {
            throw new StartupException(e.getMessage());
        }
    }

    private static Optional<String> mistake(String action, Invocation invocation) {
        boolean start = invocation.arguments().size() > 1;
        if (!action.equals(STATUS) && invocation.option(OUTPUT).isPresent()) {
            return Optional.of(OUTPUT + " does nothing for cluster " + action);
        }
        if (action.equals(SET)) {
            return start
                            && DatabaseStore.CHANGEABLE.contains(
                                    invocation.arguments().get(1))
                    ? Optional.empty()
                    : Optional.of("say cluster " + SET + " and one of " + String.join(", ", DatabaseStore.CHANGEABLE));
        }
        if (action.equals(FORGET)) {
            return start && invocation.arguments().get(1).matches("[1-9][0-9]{0,17}")
                    ? Optional.empty()
                    : Optional.of("say cluster " + FORGET + " and the number of the start, as cluster " + STATUS
                            + " prints it");
        }
        return (action.equals(STATUS) || action.equals(FINISH)) && !start
                ? Optional.empty()
                : Optional.of("say cluster " + STATUS + ", cluster " + FORGET + " START, cluster " + SET
                        + " NAME or cluster " + FINISH);
    }

    private static String forgotten(PostgresCluster.Start start) {
        return "start " + start.start()
                + (start.datadir().isEmpty() ? "" : " of the datadir " + start.datadir())
                + (start.machine().isEmpty() ? "" : " on " + start.machine())
                + ", last heard of " + start.silentMillis() / 1_000 + " s ago, counts as ended: " + start.open()
                + " payments that it may have sent can be abandoned or recalled, and are sent again until then. A daemon"
                + " that starts again gets a new number";
    }

    private static ObjectNode json(PostgresCluster.Status status) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.put("database", status.database());
        all.put("server_version", status.server());
        all.put("commit", status.commit());
        all.put("keeper", status.keeper().orElse(null));
        all.put("keeper_renews", status.renewed());
        all.put("epoch", status.epoch());
        all.put("stopped", status.stopped().orElse(null));
        all.set("lock", status.lock().<ObjectNode>map(ClusterCommand::json).orElse(null));
        all.put("ended_not_listed", status.hidden());
        ArrayNode starts = all.putArray("starts");
        for (PostgresCluster.Start start : status.starts()) {
            starts.addObject()
                    .put("start", start.start())
                    .put("state", word(start))
                    .put("machine", start.machine())
                    .put("datadir", start.datadir())
                    .put("address", start.address())
                    .put("node", node(start))
                    .put("connected", start.gathered())
                    .put("since", since(start))
                    .put("heartbeat_age_millis", start.silentMillis())
                    .put("has_found_its_commits", !start.behind())
                    .put("open_spends", start.open());
        }
        return all;
    }

    private static ObjectNode json(PostgresCluster.Lock lock) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("process", lock.process())
                .put("held_millis", lock.heldMillis())
                .put("waiting", lock.waiting());
    }

    private static List<String> table(PostgresCluster.Status status) {
        List<String> lines = new ArrayList<>();
        lines.add("database  " + status.database() + " on PostgreSQL " + status.server());
        lines.add("commit    " + status.commit());
        lines.add("keeper    " + status.keeper().map(start -> "start " + start).orElse("none")
                + (status.epoch() == 0 ? "" : ", lease taken " + status.epoch() + " times")
                + (status.keeper().isPresent() && !status.renewed()
                        ? ", but not renewed now: nobody does the background work"
                        : ""));
        lines.add("spending  " + status.stopped().map(why -> "stopped: " + why).orElse("goes on"));
        lines.add("lock      "
                + status.lock()
                        .map(lock -> "held for " + lock.heldMillis() / 1_000 + " s by process " + lock.process() + ", "
                                + lock.waiting() + " wait")
                        .orElse("free"));
        lines.add("");
        lines.add(row("START", "STATE", "HEARD", "SINCE", "OPEN", "ADDRESS", "NODE", "MACHINE", "DATADIR"));
        for (PostgresCluster.Start start : status.starts()) {
            lines.add(row(
                    Long.toString(start.start()),
                    word(start) + (start.behind() ? ", unconfirmed" : ""),
                    start.silentMillis() / 1_000 + " s ago",
                    since(start),
                    Long.toString(start.open()),
                    start.address(),
                    node(start) + (start.node().isEmpty() || start.gathered() ? "" : ", alone"),
                    start.machine(),
                    start.datadir()));
        }
        if (status.hidden() > 0) {
            lines.add(status.hidden() + " more have ended");
        }
        return lines;
    }

    private static String row(String... cells) {
        return String.format("%-6s %-21s %-12s %-21s %6s  %-28s %-28s %-20s %s", (Object[]) cells)
                .stripTrailing();
    }

    private static String word(PostgresCluster.Start start) {
        return start.standing().name().toLowerCase(Locale.ROOT);
    }

    /** Returns host and port of the cluster node of a start; empty if it has none. */
    private static String node(PostgresCluster.Start start) {
        return start.node().substring(start.node().indexOf('@') + 1);
    }

    private static String since(PostgresCluster.Start start) {
        return Instant.ofEpochMilli(start.since())
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
    }
}
