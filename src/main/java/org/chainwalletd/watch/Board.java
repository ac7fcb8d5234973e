package org.chainwalletd.watch;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.chainwalletd.api.Following.GetFollowerStatus;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Reads.GetStatus;
import org.chainwalletd.watch.Row.Tone;
import org.chainwalletd.wire.MemberNames;

/** State of the daemon as shown, and its layout in a given number of lines. Pure: receives all data, and the time, as arguments. */
final class Board {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final int MOST_ENTRIES = 200;
    private static final int SECTION = 5;
    private static final String UNKNOWN = "–";

    private final String url;
    private final ZoneId zone;
    private final Deque<LogEntry> log = new ArrayDeque<>();
    private Optional<Readings.Quick> quick = Optional.empty();
    private Optional<Readings.Slow> slow = Optional.empty();
    private Optional<Instant> tipSince = Optional.empty();
    private String trouble = "connecting";
    private String stream = "connecting";

    /**
     * Entry of the event list.
     *
     * @param text full text
     * @param brief text with long hashes and addresses abbreviated, for a screen
     */
    record LogEntry(Instant at, String kind, String text, String brief) {}

    Board(String url, ZoneId zone) {
        this.url = url;
        this.zone = zone;
    }

    void read(Readings.Quick read, Instant now) {
        if (!read.status()
                .tip()
                .height()
                .equals(quick.map(old -> old.status().tip().height()).orElse(OptionalLong.empty()))) {
            tipSince = quick.isPresent() ? Optional.of(now) : Optional.empty();
        }
        quick = Optional.of(read);
        trouble = "";
    }

    void read(Readings.Slow read) {
        slow = Optional.of(read);
    }

    /** Records that the daemon does not answer; earlier readings stay on the board. */
    void unreadable(String why) {
        trouble = why;
    }

    /** @param why reason why no events are received; empty while they are */
    void stream(String why) {
        stream = why;
    }

    void happened(LogEntry entry) {
        log.addFirst(entry);
        if (log.size() > MOST_ENTRIES) {
            log.removeLast();
        }
    }

    /** Lays out everything that fits into {@code height} rows, with the newest event first. On a narrow screen columns are left out. */
    List<Row> rows(int width, int height, Instant now) {
        List<Row> rows = new ArrayList<>();
        rows(now).forEach(row -> rows.add(row.fit(width)));
        rows.add(Row.empty());
        rows.add(Row.empty().and("events", Tone.TITLE).and(stream.isEmpty() ? "" : "  " + stream, Tone.BAD));
        log.stream().limit(Math.max(0, height - rows.size())).forEach(entry -> rows.add(row(entry)));
        return rows.subList(0, Math.min(rows.size(), Math.max(0, height)));
    }

    /** Lays out everything except the events. */
    List<Row> rows(Instant now) {
        List<Row> rows = new ArrayList<>(List.of(title()));
        if (!complaint().isEmpty()) {
            rows.add(Row.empty().and(complaint(), Tone.BAD));
        }
        rows.addAll(notReady());
        rows.add(state(now));
        quick.ifPresent(known -> {
            rows.add(Row.empty());
            rows.addAll(nodes(known));
            rows.add(spends(known));
            payouts().ifPresent(rows::add);
        });
        slow.ifPresent(known -> {
            rows.add(Row.empty());
            rows.addAll(balances(known));
            rows.addAll(htlcs(known));
        });
        return rows;
    }

    /** Returns rows with the reasons of {@code /readyz}, except one that repeats the complaint. */
    private List<Row> notReady() {
        return quick.map(Readings.Quick::notReady).orElse(List.of()).stream()
                .filter(reason -> !reason.equals(complaint()))
                .limit(SECTION)
                .map(reason -> Row.empty().and("not ready: " + reason, Tone.BAD))
                .toList();
    }

    private Row title() {
        Row row = Row.empty().and(url, Tone.TITLE);
        quick.map(Readings.Quick::status)
                .ifPresent(status -> row.optional(2)
                        .and("  " + status.version())
                        .optional(1)
                        .and(status.network().map(name -> "  " + name).orElse("")));
        return complaint().isEmpty() ? row.needed().and("  live", Tone.GOOD) : row;
    }

    /** Returns the warning for the operator; empty for none. */
    String complaint() {
        if (!trouble.isEmpty()) {
            return trouble;
        }
        return quick.map(Readings.Quick::status)
                .map(status -> status.complaint().orElse(status.upstreamOk() ? "" : "no node answers"))
                .orElse("");
    }

    private Row state(Instant now) {
        Row row = Row.empty().and("tip ", Tone.SOFT).and(tip());
        tipSince.ifPresent(since -> row.optional(2).and("  since ", Tone.SOFT).and(span(Duration.between(since, now))));
        row.needed().and("   lag ", Tone.SOFT).and(lag());
        row.optional(1).and("   waits ", Tone.SOFT).and(meter("walletd_rpc_waits"));
        return row.optional(3).and("   heap ", Tone.SOFT).and(heap());
    }

    /** Returns one line with the values that change most often, for output without a screen. */
    String summary() {
        return "tip " + tip() + ", lag " + lag() + ", waits " + meter("walletd_rpc_waits") + ", in flight "
                + quick.map(known -> String.valueOf(known.status().inFlightTransfers()))
                        .orElse(UNKNOWN) + ", balance "
                + slow.map(known -> Row.number(known.total())).orElse(UNKNOWN) + ", open HTLCs "
                + slow.map(known -> String.valueOf(known.htlcs().size())).orElse(UNKNOWN)
                + (complaint().isEmpty() ? "" : "; " + Row.sanitise(complaint()));
    }

    private String tip() {
        OptionalLong height = quick.map(known -> known.status().tip().height()).orElse(OptionalLong.empty());
        return height.isPresent() ? Row.number(height.getAsLong()) : UNKNOWN;
    }

    private String lag() {
        Optional<GetFollowerStatus.Result> follower = quick.flatMap(Readings.Quick::follower);
        return follower.map(status -> Row.number(Math.max(0, status.lag()))
                        + (status.fullScanComplete()
                                ? ""
                                : ", a rescan has " + Row.number(status.rescanBlocksLeft()) + " blocks left"))
                .orElse(UNKNOWN);
    }

    private OptionalDouble sum(String name, Map<String, String> labels) {
        Optional<Meters> meters = quick.flatMap(Readings.Quick::meters);
        return meters.isPresent() ? meters.get().sum(name, labels) : OptionalDouble.empty();
    }

    private String meter(String name) {
        return shown(sum(name, Map.of()));
    }

    private String heap() {
        OptionalDouble bytes = sum("jvm_memory_used_bytes", Map.of("area", "heap"));
        return bytes.isPresent() ? Row.number(bytes.getAsDouble() / (1 << 20)) + " MiB" : UNKNOWN;
    }

    private static String shown(OptionalDouble value) {
        return value.isPresent() ? Row.number(value.getAsDouble()) : UNKNOWN;
    }

    private List<Row> nodes(Readings.Quick known) {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.empty()
                .column("nodes", 40, Tone.TITLE)
                .column("", 8)
                .optional(3)
                .and(" connections  ", Tone.SOFT)
                .optional(2)
                .and("waiting  ", Tone.SOFT)
                .optional(1)
                .and("scans left", Tone.SOFT));
        list(rows, known.status().upstreamNodes(), node -> {
            OptionalDouble up = sum("walletd_upstream_up", Map.of("node", node));
            boolean answers = up.isEmpty() ? known.status().upstreamOk() : up.getAsDouble() > 0;
            return Row.empty()
                    .elastic(node, 40)
                    .column(answers ? "answers" : "silent", 8, answers ? Tone.GOOD : Tone.BAD)
                    .optional(3)
                    .right(shown(sum("walletd_upstream_connections", Map.of("node", node))), 12)
                    .optional(2)
                    .right(shown(sum("walletd_upstream_waiting", Map.of("node", node))), 7)
                    .optional(1)
                    .right(shown(sum("walletd_upstream_scan_budget", Map.of("node", node))), 10);
        });
        return rows;
    }

    private Row spends(Readings.Quick known) {
        GetStatus.Result status = known.status();
        Row row = Row.empty()
                .and("spends", Tone.TITLE)
                .and("  in flight ", Tone.SOFT)
                .and(Row.number(status.inFlightTransfers()))
                .optional(2)
                .and("  outpoints reserved ", Tone.SOFT)
                .and(Row.number(status.inFlightUtxos()));
        OptionalDouble oldest = sum("walletd_spend_oldest_unconfirmed_seconds", Map.of());
        if (oldest.isPresent() && status.inFlightTransfers() > 0) {
            row.optional(1).and("  oldest ", Tone.SOFT).and(span(Duration.ofSeconds((long) oldest.getAsDouble())));
        }
        known.meters()
                .map(meters -> meters.by("outcome", "walletd_spend_outcomes_total"))
                .orElse(Map.of())
                .forEach((outcome, count) -> {
                    if (count > 0) {
                        row.optional(row.pieces().size())
                                .and("  " + outcome + " ", Tone.SOFT)
                                .and(Row.number(count));
                    }
                });
        return row;
    }

    /** Returns the row of the queued payouts by reason to wait; empty if metrics are served elsewhere. */
    private Optional<Row> payouts() {
        Optional<Meters> meters = quick.flatMap(Readings.Quick::meters);
        OptionalDouble oldest = sum("walletd_payouts_oldest_seconds", Map.of());
        if (meters.isEmpty() || oldest.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Double> waiting = meters.get().by("for", "walletd_payouts_waiting");
        double queued =
                waiting.values().stream().mapToDouble(Double::doubleValue).sum();
        Row row = Row.empty()
                .and("payouts", Tone.TITLE)
                .and("  waiting ", Tone.SOFT)
                .and(Row.number(queued));
        if (queued > 0) {
            row.optional(1).and("  oldest ", Tone.SOFT).and(span(Duration.ofSeconds((long) oldest.getAsDouble())));
        }
        waiting.forEach((reason, count) -> {
            if (count > 0) {
                row.optional(2)
                        .and("  for " + reason.replace('_', ' ') + " ", Tone.SOFT)
                        .and(Row.number(count));
            }
        });
        return Optional.of(row);
    }

    private static List<Row> balances(Readings.Slow known) {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.empty()
                .and("balances", Tone.TITLE)
                .and("  in all ", Tone.SOFT)
                .and(Row.number(known.total())));
        list(
                rows,
                known.holdings(),
                holding -> Row.empty()
                        .elastic("  " + holding.label(), 30)
                        .optional(1)
                        .right(holding.addresses() + (holding.addresses() == 1 ? " address" : " addresses"), 16)
                        .needed()
                        .right(Row.number(holding.balance()), 26));
        return rows;
    }

    private List<Row> htlcs(Readings.Slow known) {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.empty()
                .and("HTLCs", Tone.TITLE)
                .and("  open ", Tone.SOFT)
                .and(Row.number(known.htlcs().size())));
        list(rows, known.htlcs(), htlc -> {
            boolean expired = htlc.state() == Htlcs.State.LOCKED_EXPIRED;
            return Row.empty()
                    .elastic("  " + Row.brief(htlc.lockTxId().hex()), 18)
                    .optional(expired ? 0 : 2)
                    .column(MemberNames.word(htlc.state()), 14, expired ? Tone.BAD : Tone.PLAIN)
                    .optional(3)
                    .column(MemberNames.word(htlc.role()), 8)
                    .needed()
                    .right(Row.number(htlc.amount().toBigInteger()), 20)
                    .optional(1)
                    .and("until ", Tone.SOFT)
                    .and(Row.number(htlc.params().timeoutHeight()));
        });
        return rows;
    }

    private static <T> void list(List<Row> rows, List<T> all, Function<T, Row> row) {
        all.stream().limit(SECTION).map(row).forEach(rows::add);
        if (all.size() > SECTION) {
            rows.add(Row.empty().and("  and " + (all.size() - SECTION) + " more", Tone.SOFT));
        }
    }

    private Row row(LogEntry entry) {
        return Row.empty()
                .and(CLOCK.format(LocalTime.ofInstant(entry.at(), zone)) + "  ", Tone.SOFT)
                .column(entry.kind(), 7)
                .and(entry.brief());
    }

    private static String span(Duration length) {
        long seconds = Math.max(0, length.toSeconds());
        return seconds < 120 ? seconds + " s" : seconds / 60 + " min";
    }
}
