package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.Params.Field;
import org.chainwalletd.devnet.call.Params.Shape;
import org.chainwalletd.devnet.call.Params.Type;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.devnet.wire.AddressText;

/** What only a development node understands: mining on demand, the faucet, reorganisations and faults. */
final class DevnetMethods {
    private static final int MAX_BLOCKS = 10_000;
    private static final long MAX_LATENCY_MILLIS = 600_000;

    private static final Shape MINE = Shape.of("DevnetMineParams", new Field("blocks", Type.U32, true));
    private static final Shape FAUCET = Shape.of(
            "DevnetFaucetParams", new Field("address", Type.STRING, false), new Field("amount", Type.U64, false));
    private static final Shape REORG = Shape.of(
            "DevnetReorgParams",
            new Field("depth", Type.U32, false),
            new Field("drop", Type.BOOL, true),
            new Field("conflicts", Type.STRINGS, true));
    private static final Shape SET = Shape.of(
            "DevnetSetParams",
            new Field("quota", Type.BOOL, true),
            new Field("latency_ms", Type.U64, true),
            new Field("drop", Type.STRING, true),
            new Field("drop_count", Type.U64, true),
            new Field("drop_method", Type.STRING, true),
            new Field("lie", Type.STRING, true),
            new Field("refuse", Type.BOOL, true),
            new Field("tip_changes", Type.U64, true),
            new Field("mining", Type.BOOL, true),
            new Field("prompt", Type.BOOL, true),
            new Field("connection_cap", Type.BOOL, true),
            new Field("sse", Type.BOOL, true),
            new Field("drop_streams", Type.BOOL, true),
            new Field("forget_mempool", Type.BOOL, true));

    private final DevnetControl control;
    private final Faults faults;

    DevnetMethods(DevnetControl control, Faults faults) {
        this.control = control;
        this.faults = faults;
    }

    List<Method> all() {
        return List.of(
                Method.heavy("devnet_mine", params -> mine(MINE.read(orEmpty(params)))),
                Method.heavy("devnet_faucet", params -> faucet(FAUCET.read(params))),
                Method.heavy("devnet_reorg", params -> reorg(REORG.read(params))),
                Method.heavy("devnet_set", params -> set(SET.read(known(params)))));
    }

    /** A node ignores what it does not know; a misspelt switch of a test must not be ignored. */
    private static JsonNode known(JsonNode params) {
        List<String> names = SET.fields().stream().map(Field::name).sorted().toList();
        for (Map.Entry<String, JsonNode> member : params.properties()) {
            if (!names.contains(member.getKey())) {
                throw CallException.invalid(
                        "unknown setting `" + member.getKey() + "`: known are " + String.join(", ", names));
            }
        }
        return params;
    }

    private static JsonNode orEmpty(JsonNode params) {
        return params.isNull() ? Json.object() : params;
    }

    private JsonNode mine(Params params) {
        OptionalLong blocks = params.optionalNumber("blocks");
        long count = blocks.orElse(1);
        if (count < 1 || count > MAX_BLOCKS) {
            throw CallException.invalid("blocks must be between 1 and " + MAX_BLOCKS);
        }
        return blocks(control.mine((int) count));
    }

    private JsonNode blocks(List<Hash256> ids) {
        ObjectNode result = Json.object();
        result.set("height", Json.u64(control.tip().height()));
        result.put("block_id", ids.get(ids.size() - 1).hex());
        ArrayNode blocks = result.putArray("blocks");
        ids.forEach(id -> blocks.add(id.hex()));
        return result;
    }

    private JsonNode faucet(Params params) {
        try {
            return Json.object()
                    .put(
                            "tx_id",
                            control.faucet(
                                            AddressText.parse(params.text("address")),
                                            Amount.ofUnsigned(params.number("amount")))
                                    .hex());
        } catch (IllegalArgumentException | RejectedException e) {
            throw CallException.invalid(e.getMessage());
        }
    }

    private JsonNode reorg(Params params) {
        long depth = params.number("depth");
        List<Transaction> conflicts = params.texts("conflicts").stream()
                .map(hex -> ChainMethods.decode(Hex.param(hex)))
                .toList();
        boolean drop = params.flag("drop").orElse(false);
        try {
            return blocks(control.reorganise((int) Math.min(depth, Integer.MAX_VALUE), !drop, conflicts));
        } catch (RejectedException e) {
            throw CallException.invalid(e.getMessage());
        }
    }

    private JsonNode set(Params params) {
        Faults.Drop drop = word(params, "drop", Faults.Drop.values(), Faults.Drop.NONE);
        Lie lie = word(params, "lie", Lie.values(), Lie.NONE);
        OptionalLong latency = params.optionalNumber("latency_ms");
        if (latency.isPresent() && U64.compare(latency.getAsLong(), MAX_LATENCY_MILLIS) > 0) {
            throw CallException.invalid("latency_ms must be at most " + MAX_LATENCY_MILLIS);
        }
        latency.ifPresent(faults::latencyMillis);
        params.flag("quota").ifPresent(faults::quota);
        params.flag("refuse").ifPresent(faults::refuse);
        params.optionalText("lie").ifPresent(word -> {
            faults.lie(lie);
            control.mineWithoutWork(lie == Lie.NO_WORK);
        });
        params.optionalText("drop").ifPresent(word -> {
            long count = params.optionalNumber("drop_count").orElse(Long.MAX_VALUE);
            faults.drop(drop, count, params.optionalText("drop_method").orElse(null));
        });
        params.optionalNumber("tip_changes").ifPresent(faults::tipChanges);
        params.flag("mining").ifPresent(control::mineByItself);
        params.flag("prompt").ifPresent(control::minePromptly);
        params.flag("connection_cap").ifPresent(control::capConnections);
        params.flag("sse").ifPresent(control::offerPush);
        params.flag("drop_streams").filter(on -> on).ifPresent(on -> control.dropStreams());
        params.flag("forget_mempool").filter(on -> on).ifPresent(on -> control.forgetMempool());
        return Json.object().put("ok", true);
    }

    private static <E extends Enum<E>> E word(Params params, String name, E[] all, E none) {
        String text = params.optionalText(name).orElse(none.name().toLowerCase(Locale.ROOT));
        return Arrays.stream(all)
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> CallException.invalid(name + " must be one of "
                        + String.join(
                                ", ",
                                Arrays.stream(all)
                                        .map(one -> one.name().toLowerCase(Locale.ROOT))
                                        .toList())));
    }
}
