package org.chainwalletd.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.chainwalletd.api.OwnPayments.ListSpends;
import org.chainwalletd.api.OwnPayments.OwnSpend;
import org.chainwalletd.api.OwnPayments.SentOutput;
import org.chainwalletd.api.Reads.GetBlockById;
import org.chainwalletd.api.Waiting.Credit;
import org.chainwalletd.api.Waiting.ListCredits;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;

/** Command that exports the payments made or received by a running daemon, page by page, for a spreadsheet or another program. */
final class ExportCommand implements Command {
    private static final String DEFAULT_SCOPE = "read";
    private static final long PAGE = 500;
    /** Decimal places of a coin: 1 coin = 100,000,000 base units. */
    private static final int COIN_DIGITS = 8;

    private static final int BLOCKS_REMEMBERED = 1_000;
    private static final ObjectMapper JSON = new ObjectMapper().enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN);

    @Override
    public String word() {
        return "export";
    }

    @Override
    public String summary() {
        return "Writes all payments of a running daemon (export spends), or what its addresses were paid (export credits), to standard"
                + " output, amounts in base units and in coins, times in UTC. Needs a read token.";
    }

    @Override
    public List<Flag> flags() {
        List<Flag> flags = new ArrayList<>(Connection.flags(DEFAULT_SCOPE));
        flags.add(new Flag("--format", "csv|jsonl", "default csv; jsonl is a JSON object on each line"));
        flags.add(new Flag("--since", "time", "only what is as late, as 2026-11-01 or 2026-11-01T12:00:00Z, in UTC"));
        flags.add(new Flag("--until", "time", "only what is earlier"));
        return flags;
    }

    @Override
    public List<String> arguments() {
        return List.of("spends|credits");
    }

    @Override
    public int run(Invocation invocation) {
        Settings settings = invocation.configurationOfDaemon().settings();
        try {
            Period period = new Period(time(invocation, "--since"), time(invocation, "--until"));
            Rows rows = new Rows(invocation.out(), csv(invocation));
            String what = invocation.arguments().get(0);
            if (!what.equals("spends") && !what.equals("credits")) {
                throw new IllegalArgumentException("export what: spends or credits");
            }
            WalletdClient daemon =
                    Connection.of(invocation, settings, DEFAULT_SCOPE).client(WalletdClient.DEFAULT_TIMEOUT);
            try {
                if (what.equals("spends")) {
                    spends(daemon, period, rows);
                } else {
                    credits(daemon, period, rows);
                }
            } catch (WalletdException e) {
                if (rows.started()) {
                    invocation.streams().err().println("the export is not complete: what is there ends too early");
                }
                return Connection.failed(invocation, e);
            }
            return invocation.out().checkError()
                    ? invocation.fail(ExitCode.FAILED, "the output cannot be written: what is there ends too early")
                    : ExitCode.OK;
        } catch (IllegalArgumentException e) {
            return invocation.fail(ExitCode.USAGE, e.getMessage());
        } catch (WalletdException e) {
            return Connection.failed(invocation, e);
        }
    }

    private static boolean csv(Invocation invocation) {
        String format = invocation.option("--format").orElse("csv");
        if (!format.equals("csv") && !format.equals("jsonl")) {
            throw new IllegalArgumentException("--format is csv or jsonl");
        }
        return format.equals("csv");
    }

    private static OptionalLong time(Invocation invocation, String option) {
        Optional<String> given = invocation.option(option);
        if (given.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            String text = given.get();
            Instant time = text.contains("T")
                    ? Instant.parse(text)
                    : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
            return OptionalLong.of(time.getEpochSecond());
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    option + " is a day as 2026-11-01 or a moment as 2026-11-01T12:00:00Z, in UTC", e);
        }
    }

    /**
     * @param since seconds since 1970
     * @param until exclusive, seconds since 1970
     */
    private record Period(OptionalLong since, OptionalLong until) {
        boolean has(long seconds) {
            return seconds >= since.orElse(Long.MIN_VALUE) && seconds < until.orElse(Long.MAX_VALUE);
        }
    }

    private static void spends(WalletdClient daemon, Period period, Rows rows) {
        Optional<String> cursor = Optional.empty();
        boolean more = true;
        while (more && rows.go()) {
            ListSpends.Result page = daemon.call(new ListSpends(
                    cursor,
                    OptionalLong.of(PAGE),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    period.since(),
                    period.until()));
            rows.head(spend(Optional.empty()));
            page.spends().forEach(spend -> rows.row(spend(Optional.of(spend))));
            cursor = Optional.of(page.cursor());
            more = page.more();
        }
    }

    /** Creates a row by column name; without a spend, all values are null. */
    private static Map<String, Object> spend(Optional<OwnSpend> spend) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("spend_id", spend.map(OwnSpend::spendId).orElse(null));
        row.put("created_at", spend.map(each -> utc(each.createdAt())).orElse(null));
        row.put(
                "changed_at",
                spend.map(each -> utc(OptionalLong.of(each.changedAt()))).orElse(null));
        row.put("kind", spend.map(each -> word(each.kind())).orElse(null));
        row.put("state", spend.map(each -> word(each.state())).orElse(null));
        row.put("tx_id", spend.map(each -> each.txId().hex()).orElse(null));
        row.put("from", spend.flatMap(OwnSpend::from).map(Address::hex).orElse(null));
        row.put("outputs", spend.flatMap(OwnSpend::outputs).orElse(null));
        row.put("output_count", spend.map(each -> count(each)).orElse(null));
        amount(row, "amount", spend.flatMap(OwnSpend::amount));
        amount(row, "fee", spend.flatMap(OwnSpend::fee));
        row.put("block_height", spend.map(each -> number(each.blockHeight())).orElse(null));
        row.put("client_token", spend.flatMap(OwnSpend::clientToken).orElse(null));
        row.put("token_name", spend.flatMap(OwnSpend::tokenName).orElse(null));
        row.put("memo", spend.flatMap(OwnSpend::memo).orElse(null));
        return row;
    }

    private static Long count(OwnSpend spend) {
        return spend.outputCount().isPresent()
                ? Long.valueOf(spend.outputCount().getAsLong())
                : spend.outputs().map(outputs -> (long) outputs.size()).orElse(null);
    }

    private static Long number(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String utc(OptionalLong seconds) {
        return seconds.isPresent() ? Instant.ofEpochSecond(seconds.getAsLong()).toString() : null;
    }

    private static void amount(Map<String, Object> row, String name, Optional<Amount> amount) {
        row.put(name, amount.map(Amount::toBigInteger).orElse(null));
        row.put(
                name + "_coins",
                amount.map(units -> new BigDecimal(units.toBigInteger(), COIN_DIGITS).toPlainString())
                        .orElse(null));
    }

    /** Exports the credits, one row per event at one confirmation. The removal of a credit by a reorganisation is a row of its own. */
    private static void credits(WalletdClient daemon, Period period, Rows rows) {
        BlockTimes times = new BlockTimes(daemon);
        ListCredits query = ListCredits.of().withMinConfirmations(1).withLimit(PAGE);
        boolean more = true;
        while (more && rows.go()) {
            ListCredits.Result page = daemon.call(query);
            rows.head(credit(Optional.empty(), null));
            for (Credit credit : page.credits()) {
                long time = credit.blockId().map(times::of).orElse(0L);
                if (period.has(time)) {
                    rows.row(credit(Optional.of(credit), utc(OptionalLong.of(time))));
                }
            }
            query = query.withCursor(page.cursor());
            more = page.more();
        }
    }

    private static Map<String, Object> credit(Optional<Credit> credit, String blockTime) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("event", credit.map(Credit::event).orElse(null));
        row.put("block_time", blockTime);
        row.put("block_height", credit.map(each -> number(each.blockHeight())).orElse(null));
        row.put("address", credit.map(each -> each.address().hex()).orElse(null));
        amount(row, "amount", credit.map(Credit::amount));
        row.put("tx_id", credit.map(each -> each.txId().hex()).orElse(null));
        row.put("output_index", credit.map(Credit::outputIndex).orElse(null));
        row.put("own", credit.map(Credit::own).orElse(null));
        row.put("coinbase", credit.map(Credit::coinbase).orElse(null));
        row.put("datum", credit.flatMap(Credit::datum).map(datum -> datum.hex()).orElse(null));
        return row;
    }

    /** Cache of block times. */
    private static final class BlockTimes {
        private final WalletdClient daemon;
        private final Map<Hash256, Long> known = new LinkedHashMap<>();

        BlockTimes(WalletdClient daemon) {
            this.daemon = daemon;
        }

        long of(Hash256 blockId) {
            Long time = known.get(blockId);
            if (time == null) {
                time = daemon.call(new GetBlockById(blockId)).timestamp();
                if (known.size() == BLOCKS_REMEMBERED) {
                    known.remove(known.keySet().iterator().next());
                }
                known.put(blockId, time);
            }
            return time;
        }
    }

    /** Writer of the rows. */
    private static final class Rows {
        private static final String MARKS_OF_FORMULAS = "=+-@\t\r";

        private final PrintStream out;
        private final boolean csv;
        private boolean started;

        Rows(PrintStream out, boolean csv) {
            this.out = out;
            this.csv = csv;
        }

        /** Whether the reader of the output still accepts data. */
        boolean go() {
            return !out.checkError();
        }

        /** Whether anything was written, so that a premature end must be reported. */
        boolean started() {
            return started;
        }

        /** Writes the header before the first row. Called for each page, so that nothing is written before the first answer. */
        void head(Map<String, Object> columns) {
            if (csv && !started) {
                started = true;
                out.print(String.join(",", columns.keySet()) + "\r\n");
            }
        }

        void row(Map<String, Object> row) {
            started = true;
            if (csv) {
                out.print(row.values().stream().map(Rows::cell).collect(Collectors.joining(",")) + "\r\n");
                return;
            }
            try {
                out.print(JSON.writeValueAsString(object(row)) + "\n");
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Formats a cell according to RFC 4180. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe. */
        private static String cell(Object value) {
            if (value == null) {
                return "";
            }
            if (value instanceof List<?> outputs) {
                return outputs.stream()
                        .map(SentOutput.class::cast)
                        .filter(output -> !output.isChange())
                        .map(output -> output.to().map(Address::hex).orElse("script") + ":" + output.amount())
                        .collect(Collectors.joining(" "));
            }
            String text = value.toString();
            if (value instanceof String && !text.isEmpty() && MARKS_OF_FORMULAS.indexOf(text.charAt(0)) >= 0) {
                text = "'" + text;
            }
            boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
            return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
        }

        private static ObjectNode object(Map<String, Object> row) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            row.forEach((name, value) -> {
                if (value instanceof List<?> outputs) {
                    ArrayNode array = object.putArray(name);
                    outputs.forEach(each -> array.add(output((SentOutput) each)));
                } else {
                    object.putPOJO(name, value);
                }
            });
            return object;
        }

        private static ObjectNode output(SentOutput output) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("to", output.to().map(Address::hex).orElse(null));
            ExportCommand.amount(row, "amount", Optional.of(output.amount()));
            row.put("is_change", output.isChange());
            return object(row);
        }
    }
}
