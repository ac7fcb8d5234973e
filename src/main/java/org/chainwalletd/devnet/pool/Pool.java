package org.chainwalletd.devnet.pool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.evm.EvmAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running pool: its book of swaps, its two legs and its REST interface (swap specification, section 3), one small request at a time
 * from a few callers. It locks only after the user did, claims the user's lock as soon as it
 * knows the secret, and refunds its own lock when that is due. One lock guards the book; it is held during calls to the chains, so a slow
 * account chain slows the whole pool; good enough for trials.
 */
public final class Pool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pool.class);
    private static final int MOST_SWAPS = 10_000;
    private static final long QUOTE_SECONDS = 300;
    private static final long[] CANDLES = {60, 300, 900, 3_600, 14_400, 86_400, 604_800};
    private static final List<String> INTERVALS = List.of("1m", "5m", "15m", "1h", "4h", "1d", "1w");
    private static final int MOST_CANDLES = 500;
    private static final int MOST_BYTES = 64 * 1024;
    private static final int THREADS = 4;
    private static final int BACKLOG = 50;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final PoolConfig config;
    private final PoolConduct conduct;
    private final PoolQuotes quotes;
    private final ChainLeg chain;
    private final EvmLeg evm;
    private final PoolSteps steps;
    private final SigningKey key;
    private final HttpServer server;
    private final ExecutorService threads =
            Executors.newFixedThreadPool(THREADS, task -> daemon(task, "devnet-pool-http"));
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "devnet-pool"));
    private final Map<String, PoolSwap> swaps = new LinkedHashMap<>();

    private Pool(PoolConfig config, Ledger ledger, SecretBytes chainSecret, SecretBytes evmSecret, PoolConduct conduct)
            throws IOException {
        this.config = config;
        this.conduct = conduct;
        quotes = new PoolQuotes(config);
        key = SigningKey.takeOver(chainSecret);
        chain = new ChainLeg(ledger, key);
        evm = new EvmLeg(config.account().rpc(), config.account().contract(), evmSecret);
        steps = new PoolSteps(config, conduct, chain, evm);
        server = HttpServer.create(config.bind(), BACKLOG);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Starts an honest pool; it answers requests when this method returns.
     *
     * @param chainSecret Ed25519 seed, taken over; its address must be given coins before the pool can sell any
     * @param evmSecret secp256k1 scalar, taken over; likewise
     * @throws IOException when the account chain does not answer or the address cannot be bound
     */
    public static Pool start(PoolConfig config, Ledger ledger, SecretBytes chainSecret, SecretBytes evmSecret)
            throws IOException {
        return start(config, ledger, chainSecret, evmSecret, PoolConduct.HONEST);
    }

    /** Starts a pool that may deviate from what it promised. */
    public static Pool start(
            PoolConfig config, Ledger ledger, SecretBytes chainSecret, SecretBytes evmSecret, PoolConduct conduct)
            throws IOException {
        Pool pool = new Pool(config, ledger, chainSecret, evmSecret, conduct);
        pool.server.start();
        long millis = config.interval().toMillis();
        if (millis > 0) {
            pool.timer.scheduleWithFixedDelay(pool::work, millis, millis, TimeUnit.MILLISECONDS);
        }
        return pool;
    }

    public URI uri() {
        return URI.create("http://" + HostPort.of(server.getAddress()));
    }

    /** Owns the coins that buyers get. */
    public Address chainAddress() {
        return chain.address();
    }

    public PublicKey chainKey() {
        return chain.publicKey();
    }

    /** Owns the native coins that sellers get. */
    public EvmAddress evmAddress() {
        return evm.address();
    }

    /** Reads both chains and does what is due for every swap. Steps that fail now are retried on the next run. */
    public synchronized void work() {
        for (PoolSwap swap : swaps.values()) {
            try {
                steps.step(swap);
            } catch (IOException | RuntimeException e) {
                swap.notes = "will try again: " + e.getMessage();
                LOG.debug("swap {} of the pool", swap.id, e);
            }
        }
    }

    synchronized ObjectNode quote(JsonNode request) throws IOException {
        PoolConfig.Words words = config.words();
        String direction = text(request, "direction");
        boolean sell = direction.equals(words.sell());
        if (!sell && !direction.equals(words.buy())) {
            throw new PoolRefusal(400, "unknown direction");
        }
        if (!request.path("flow").asText("v1").equals("v1")) {
            throw new PoolRefusal(400, "unknown flow");
        }
        BigInteger in = read(() -> PoolQuotes.units(text(request, "amount_in"), PoolQuotes.decimalsIn(sell)));
        BigInteger out = quotes.out(sell, in);
        requireLockable(sell, in, out);
        makeRoom();
        Hash256 hashLock = read(() -> Hash256.parse(digits(text(request, "hashlock"))));
        Optional<EvmAddress> user = sell
                ? Optional.of(read(() -> EvmAddress.parse(text(request, "user_" + words.evm() + "_address"))))
                : Optional.empty();
        Optional<PublicKey> userKey = sell
                ? Optional.empty()
                : Optional.of(read(() -> PublicKey.parse(text(request, "user_" + words.chain() + "_address"))));
        long now = config.clock().instant().getEpochSecond();
        long userTimeout = sell
                ? chain.height() + config.locks().userBlocks()
                : now + config.locks().userSecs();
        PoolSwap swap = new PoolSwap(
                UUID.randomUUID().toString(), sell, hashLock, in, out, now + QUOTE_SECONDS, user, userKey, userTimeout);
        swaps.put(swap.id, swap);
        conduct.quoted(swap);
        return conduct.quote(render(swap));
    }

    private void requireLockable(boolean sell, BigInteger in, BigInteger out) throws IOException {
        BigInteger coins = sell ? in : out;
        if (coins.compareTo(ChainProfile.DUST_THRESHOLD.toBigInteger()) < 0 || coins.bitLength() > Long.SIZE) {
            throw new PoolRefusal(400, "amount out of range");
        }
        BigInteger reserve = sell ? evm.balance() : chain.free().toBigInteger();
        if (reserve.compareTo(out) <= 0) {
            throw new PoolRefusal(409, "not enough liquidity");
        }
    }

    private void makeRoom() {
        if (swaps.size() >= MOST_SWAPS) {
            swaps.values().removeIf(PoolSwap::isOver);
        }
        if (swaps.size() >= MOST_SWAPS) {
            throw new PoolRefusal(503, "too many open swaps");
        }
    }

    private ObjectNode render(PoolSwap swap) {
        PoolConfig.Words words = config.words();
        int decimalsIn = PoolQuotes.decimalsIn(swap.sell);
        int decimalsOut = PoolQuotes.decimalsOut(swap.sell);
        ObjectNode quote = NODES.objectNode()
                .put("swapId", swap.id)
                .put("amountIn", PoolQuotes.whole(swap.amountIn, decimalsIn))
                .put("amountOut", PoolQuotes.whole(swap.amountOut, decimalsOut))
                .put("amountInUnits", swap.amountIn.toString())
                .put("amountOutUnits", swap.amountOut.toString())
                .put("expiresAt", swap.expiresAt)
                .put("feeBps", config.price().feeBps())
                .put("htlcContract", config.account().contract().toString());
        ObjectNode instructions = quote.putObject("instructions");
        if (swap.sell) {
            instructions
                    .putObject(words.chain())
                    .put("receiverPubkey", chain.publicKey().hex())
                    .put("timeoutHeight", swap.userTimeout);
        } else {
            instructions
                    .putObject(words.evm())
                    .put("htlcContract", config.account().contract().toString())
                    .put("recipient", evm.address().toString())
                    .put("timeoutSec", swap.userTimeout);
        }
        return quote;
    }

    synchronized ObjectNode info() throws IOException {
        PoolConfig.Words words = config.words();
        ObjectNode info = NODES.objectNode()
                .put(
                        "mid_price_" + words.nativeAsset() + "_per_" + words.chain(),
                        config.price().mid())
                .put("fee_bps", config.price().feeBps())
                .put("max_swap_bps", 10_000);
        info.putObject("reserves")
                .put(words.chain(), PoolQuotes.whole(chain.free().toBigInteger(), PoolQuotes.CHAIN_DECIMALS))
                .put(words.nativeAsset(), PoolQuotes.whole(evm.balance(), PoolQuotes.EVM_DECIMALS));
        info.putObject(words.evm())
                .put("htlc_contract", config.account().contract().toString());
        return info;
    }

    synchronized ObjectNode status(String id) {
        PoolSwap swap = known(id);
        ObjectNode status = NODES.objectNode()
                .put("status", swap.stage.name().toLowerCase(Locale.ROOT))
                .put("poolLockTxhash", steps.lockReference(swap).orElse(null))
                .put("userClaimTxhash", swap.userClaim.orElse(null))
                .put("notes", swap.notes);
        return conduct.status(status);
    }

    synchronized ObjectNode notifyLock(String id, JsonNode request) {
        PoolSwap swap = known(id);
        if (!swap.sell) {
            throw new PoolRefusal(409, "a buyer locks in the contract");
        }
        swap.notified = Optional.of(read(
                () -> Hash256.parse(digits(text(request, config.words().chain() + "_lock_tx_id")))));
        return NODES.objectNode().put("ok", true);
    }

    synchronized ObjectNode relay(String id, JsonNode request) throws IOException {
        PoolSwap swap = known(id);
        Bytes preimage = read(() -> Bytes.parse(digits(text(request, "preimage"))));
        if (!swap.sell
                || preimage.length() != Hash256.LENGTH
                || !Hash256.sha256(preimage.toArray()).equals(swap.hashLock)) {
            throw new PoolRefusal(400, "not the preimage of a sale");
        }
        Optional<String> instead = conduct.relayedInstead(swap);
        String hash = instead.isPresent() ? instead.get() : steps.relay(swap, preimage);
        return NODES.objectNode().put("txhash", hash);
    }

    /** The price never moves, so every candle is a line. */
    ObjectNode candles(String interval, int limit) {
        int index = INTERVALS.indexOf(interval);
        if (index < 0 || limit < 1) {
            throw new PoolRefusal(400, "unknown interval or limit");
        }
        long seconds = CANDLES[index];
        long newest = config.clock().instant().getEpochSecond() / seconds;
        ObjectNode answer = NODES.objectNode();
        ArrayNode items = answer.putArray("items");
        for (long candle = newest - Math.min(limit, MOST_CANDLES) + 1; candle <= newest; candle++) {
            items.addObject()
                    .put("t", candle * seconds)
                    .put("o", config.price().mid())
                    .put("h", config.price().mid())
                    .put("l", config.price().mid())
                    .put("c", config.price().mid());
        }
        return answer;
    }

    private PoolSwap known(String id) {
        PoolSwap swap = swaps.get(id);
        if (swap == null) {
            throw new PoolRefusal(404, "unknown swap");
        }
        return swap;
    }

    private static <T> T read(Supplier<T> reader) {
        try {
            return reader.get();
        } catch (IllegalArgumentException e) {
            throw new PoolRefusal(400, String.valueOf(e.getMessage()));
        }
    }

    private static String text(JsonNode request, String member) {
        JsonNode value = request.get(member);
        if (value == null || !value.isTextual()) {
            throw new PoolRefusal(400, "missing " + member);
        }
        return value.textValue();
    }

    /** Hexadecimal digits, with or without the prefix {@code 0x}. */
    private static String digits(String hex) {
        return hex.startsWith("0x") ? hex.substring(2) : hex;
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!conduct.answers()) {
                return;
            }
            byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
            if (body.length > MOST_BYTES) {
                write(exchange, 413, error("too long"));
                return;
            }
            try {
                write(exchange, 200, route(exchange, body));
            } catch (PoolRefusal refusal) {
                write(exchange, refusal.status(), error(refusal.getMessage()));
            } catch (JsonProcessingException e) {
                write(exchange, 400, error("not JSON"));
            } catch (IOException e) {
                write(exchange, 502, error("the account chain does not answer"));
            }
        }
    }

    private ObjectNode route(HttpExchange exchange, byte[] body) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", -1);
        String asked = exchange.getRequestMethod() + " " + place(path);
        if (asked.equals("POST quote")) {
            return quote(object(body));
        }
        if (asked.equals("POST swap notify-" + config.words().chain() + "-lock")) {
            return notifyLock(path[3], object(body));
        }
        return switch (asked) {
            case "GET pool" -> info();
            case "GET swap" -> status(path[3]);
            case "POST swap relay-claim" -> relay(path[3], object(body));
            case "GET price klines" -> candles(exchange);
            case "GET lp", "GET lp position", "POST lp deposit", "GET lp deposit", "POST lp withdraw" ->
                throw new PoolRefusal(501, "this pool takes no deposits");
            default -> throw new PoolRefusal(404, "no such resource");
        };
    }

    /**
     * {@code /api/swap/{id}/relay-claim} is at "swap relay-claim", {@code /api/swap/{id}} at "swap", {@code /api/price/klines} at
     * "price klines".
     */
    private static String place(String[] path) {
        if (path.length < 3 || !path[1].equals("api")) {
            return "";
        }
        boolean named = path[2].equals("swap");
        if (path.length == 3) {
            return named ? "" : path[2];
        }
        if (named) {
            return path.length == 4 ? path[2] : path[2] + " " + path[4];
        }
        return path[2] + " " + path[3];
    }

    private static JsonNode object(byte[] body) throws IOException {
        JsonNode request = JSON.readTree(body);
        if (!request.isObject()) {
            throw new PoolRefusal(400, "not an object");
        }
        return request;
    }

    private ObjectNode candles(HttpExchange exchange) {
        String query = exchange.getRequestURI().getQuery();
        Map<String, String> words = Arrays.stream((query == null ? "" : query).split("&"))
                .filter(part -> part.contains("="))
                .collect(Collectors.toMap(
                        part -> part.substring(0, part.indexOf('=')),
                        part -> part.substring(part.indexOf('=') + 1),
                        (first, second) -> first));
        try {
            return candles(words.getOrDefault("interval", "1d"), Integer.parseInt(words.getOrDefault("limit", "120")));
        } catch (NumberFormatException e) {
            throw new PoolRefusal(400, "unknown interval or limit");
        }
    }

    private static ObjectNode error(String message) {
        return NODES.objectNode().put("error", message);
    }

    private static void write(HttpExchange exchange, int status, ObjectNode answer) throws IOException {
        byte[] bytes = JSON.writeValueAsBytes(answer);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        server.stop(0);
        threads.shutdownNow();
        synchronized (this) {
            evm.close();
            key.close();
        }
    }

    /** Prices of the pool: the same for every amount, less the fee, rounded down to the smallest unit. */
    static final class PoolQuotes {
        static final int CHAIN_DECIMALS = 8;
        static final int EVM_DECIMALS = 18;
        private static final BigDecimal BPS = BigDecimal.valueOf(10_000);
        private static final int LONGEST = 60;

        private final BigDecimal price;
        private final BigDecimal kept;

        PoolQuotes(PoolConfig config) {
            price = config.price().mid();
            kept = BPS.subtract(BigDecimal.valueOf(config.price().feeBps())).divide(BPS);
        }

        static int decimalsIn(boolean sell) {
            return sell ? CHAIN_DECIMALS : EVM_DECIMALS;
        }

        static int decimalsOut(boolean sell) {
            return decimalsIn(!sell);
        }

        /**
         * Whole coins in units.
         *
         * @throws IllegalArgumentException unless it is a positive decimal with no more digits than units have
         */
        static BigInteger units(String amount, int decimals) {
            if (amount.length() > LONGEST || !amount.matches("\\d+(\\.\\d+)?")) {
                throw new IllegalArgumentException("not a decimal amount");
            }
            try {
                BigInteger units =
                        new BigDecimal(amount).movePointRight(decimals).toBigIntegerExact();
                if (units.signum() > 0) {
                    return units;
                }
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException("more than " + decimals + " digits after the point", e);
            }
            throw new IllegalArgumentException("an amount of nothing");
        }

        static String whole(BigInteger units, int decimals) {
            return new BigDecimal(units, decimals).stripTrailingZeros().toPlainString();
        }

        BigInteger out(boolean sell, BigInteger in) {
            BigDecimal coins = new BigDecimal(in, decimalsIn(sell)).multiply(kept);
            int decimals = decimalsOut(sell);
            BigDecimal out = sell ? coins.multiply(price) : coins.divide(price, decimals, RoundingMode.DOWN);
            return out.setScale(decimals, RoundingMode.DOWN).unscaledValue();
        }
    }

    /** A request that the pool does not serve, with its HTTP status and the text for the caller. */
    static final class PoolRefusal extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final int status;

        PoolRefusal(int status, String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }
    }
}
