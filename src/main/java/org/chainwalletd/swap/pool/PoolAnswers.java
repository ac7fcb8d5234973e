package org.chainwalletd.swap.pool;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.pool.Pool.Kline;
import org.chainwalletd.swap.pool.Pool.PoolException;
import org.chainwalletd.swap.pool.Pool.PoolInfo;
import org.chainwalletd.swap.pool.Pool.PoolQuote;

/** Parser of the pool's answers. Checks types and lengths only; the content stays untrusted. */
record PoolAnswers(PoolWords words) {
    private static final int LONGEST_TEXT = 128;
    /** Maximum scale and precision; an exponent makes a short text a long number. */
    private static final int LARGEST_SCALE = 80;

    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    PoolQuote quote(JsonNode json) {
        String id = text(json, "swapId");
        if (!Pool.isPathWord(id)) {
            throw bad("swapId");
        }
        JsonNode instructions = json.path("instructions");
        return new PoolQuote(
                id,
                decimalText(json, "amountIn"),
                decimalText(json, "amountOut"),
                text(json, "amountInUnits"),
                text(json, "amountOutUnits"),
                i64(json, "expiresAt"),
                i64(json, "feeBps"),
                maybe(json, "networkFee" + PoolWords.capital(words.nativeAsset()), PoolAnswers::decimalText),
                maybe(json, "htlcContract", PoolAnswers::text),
                maybe(instructions, words.evm(), PoolAnswers::object)
                        .map(lock -> new PoolQuote.EvmLock(
                                text(lock, "htlcContract"), text(lock, "recipient"), u64(lock, "timeoutSec"))),
                maybe(instructions, words.chain(), PoolAnswers::object)
                        .map(lock ->
                                new PoolQuote.ChainLock(text(lock, "receiverPubkey"), u64(lock, "timeoutHeight"))));
    }

    PoolInfo info(JsonNode json) {
        JsonNode reserves = json.path("reserves");
        return new PoolInfo(
                maybe(json, "mid_price_" + words.nativeAsset() + "_per_" + words.chain(), PoolAnswers::decimal),
                maybe(json, "fee_bps", PoolAnswers::i64),
                maybe(json, "max_swap_bps", PoolAnswers::i64),
                maybe(reserves, words.chain(), PoolAnswers::decimal),
                maybe(reserves, words.nativeAsset(), PoolAnswers::decimal),
                maybe(json.path(words.evm()), "htlc_contract", PoolAnswers::text));
    }

    static Hash256 relayed(JsonNode json) {
        String hash = text(json, "txhash");
        try {
            return Hash256.parse(hash.startsWith("0x") ? hash.substring(2) : hash);
        } catch (IllegalArgumentException e) {
            throw bad("txhash");
        }
    }

    static List<Kline> klines(JsonNode json, int limit) {
        JsonNode items = json.path("items");
        if (!items.isArray() || items.size() > limit) {
            throw bad("items");
        }
        List<Kline> klines = new ArrayList<>(items.size());
        for (JsonNode item : items) {
            klines.add(new Kline(
                    i64(item, "t"), decimal(item, "o"), decimal(item, "h"), decimal(item, "l"), decimal(item, "c")));
        }
        return klines;
    }

    static JsonNode object(JsonNode json) {
        if (!json.isObject()) {
            throw new PoolException.BadAnswer("no JSON object");
        }
        return json;
    }

    private interface Reader<T> {
        T read(JsonNode json, String member);
    }

    private static <T> Optional<T> maybe(JsonNode json, String member, Reader<T> reader) {
        JsonNode value = json.path(member);
        return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(reader.read(json, member));
    }

    private static PoolException bad(String member) {
        return new PoolException.BadAnswer("its " + member);
    }

    private static JsonNode object(JsonNode json, String member) {
        JsonNode value = json.path(member);
        if (!value.isObject()) {
            throw bad(member);
        }
        return value;
    }

    private static String text(JsonNode json, String member) {
        String text = json.path(member).textValue();
        if (text == null
                || text.isEmpty()
                || text.length() > LONGEST_TEXT
                || !text.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw bad(member);
        }
        return text;
    }

    /** Returns a decimal as text, from a JSON string or number. */
    private static String decimalText(JsonNode json, String member) {
        return json.path(member).isNumber() ? decimal(json, member).toPlainString() : text(json, member);
    }

    private static BigDecimal decimal(JsonNode json, String member) {
        JsonNode value = json.path(member);
        try {
            BigDecimal decimal = value.isNumber() ? value.decimalValue() : new BigDecimal(text(json, member));
            if (Math.abs((long) decimal.scale()) > LARGEST_SCALE || decimal.precision() > LARGEST_SCALE) {
                throw bad(member);
            }
            return decimal;
        } catch (NumberFormatException e) {
            throw bad(member);
        }
    }

    private static long i64(JsonNode json, String member) {
        JsonNode value = json.path(member);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw bad(member);
        }
        return value.longValue();
    }

    /** Returns an unsigned 64-bit integer from a JSON number or a string of digits. */
    private static long u64(JsonNode json, String member) {
        JsonNode value = json.path(member);
        BigInteger number;
        if (value.isIntegralNumber()) {
            number = value.bigIntegerValue();
        } else {
            String text = text(json, member);
            if (!text.matches("[0-9]{1,20}")) {
                throw bad(member);
            }
            number = new BigInteger(text);
        }
        if (number.signum() < 0 || number.compareTo(TWO_64) >= 0) {
            throw bad(member);
        }
        return number.longValue();
    }
}
