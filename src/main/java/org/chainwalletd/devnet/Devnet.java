package org.chainwalletd.devnet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.U64;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.devnet.call.CallException;
import org.chainwalletd.devnet.call.Faults;
import org.chainwalletd.devnet.call.Hex;
import org.chainwalletd.devnet.call.Json;
import org.chainwalletd.devnet.call.Lie;
import org.chainwalletd.devnet.call.Method;
import org.chainwalletd.devnet.call.NodeCalls;
import org.chainwalletd.devnet.call.Params;
import org.chainwalletd.devnet.call.Params.Field;
import org.chainwalletd.devnet.call.Params.Shape;
import org.chainwalletd.devnet.call.Params.Type;
import org.chainwalletd.devnet.indexer.IndexerCalls;
import org.chainwalletd.devnet.ledger.BlockLog;
import org.chainwalletd.devnet.ledger.Faucet;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.devnet.ledger.Miner;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.devnet.wire.AddressText;
import org.chainwalletd.devnet.wire.NodeServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Running development node: ledger, miner, faucet, listener, and an indexer with a separate listener. Thread-safe.
 */
public final class Devnet implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Devnet.class);
    private static final int MAX_PORT = 65_535;

    private final SigningKey minerKey;
    private final BlockLog archive;
    private final Ledger ledger;
    private final Miner miner;
    private final Faucet faucet;
    private final Faults faults = new Faults();
    private final NodeServer server;
    private final NodeServer indexer;
    private final ScheduledExecutorService timer;
    private volatile boolean mineByItself = true;

    private Devnet(DevnetConfig config) throws IOException {
        minerKey = SigningKey.takeOver(SecretBytes.takeOver(config.minerSecret()));
        ledger = new Ledger(config.profile(), config.effort(), this::publish);
        archive = config.folder().isPresent() ? BlockLog.open(config.folder().get(), ledger) : BlockLog.inMemory();
        miner = new Miner(ledger, archive, minerAddress(), config.clock());
        faucet = new Faucet(ledger, miner, minerKey);
        faults.quota(config.quotas());
        ledger.prompt(config.prompt());
        server = listen(config);
        indexer = listenAsIndexer(config);
        timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "devnet-miner");
            thread.setDaemon(true);
            return thread;
        });
    }

    private NodeServer listen(DevnetConfig config) throws IOException {
        try {
            return new NodeServer(
                    config.bind(),
                    config.clock(),
                    new NodeCalls(ledger, config.clock(), faults, new DevnetMethods().all()));
        } catch (BindException e) {
            closeArchive();
            throw new IOException(
                    "the development node cannot listen on " + config.bind().getHostString() + ":"
                            + config.bind().getPort() + " (" + e.getMessage()
                            + "): stop what uses the address, or choose another one with --devnet-bind",
                    e);
        } catch (IOException | RuntimeException e) {
            closeArchive();
            throw e;
        }
    }

    /**
     * Address on which the indexer of a node listens: the port above the node's, or any free one when the node's port was not fixed or that port is
     * taken.
     */
    public static InetSocketAddress indexerBind(InetSocketAddress node) {
        boolean chosen = node.getPort() > 0 && node.getPort() < MAX_PORT;
        return new InetSocketAddress(node.getAddress(), chosen ? node.getPort() + 1 : 0);
    }

    private NodeServer listenAsIndexer(DevnetConfig config) throws IOException {
        InetSocketAddress wanted = indexerBind(config.bind());
        try {
            return indexerAt(wanted, config);
        } catch (BindException taken) {
            // The port is only a default: when it is taken, start on a free port instead.
            return indexerAt(new InetSocketAddress(wanted.getAddress(), 0), config);
        }
    }

    private NodeServer indexerAt(InetSocketAddress bind, DevnetConfig config) throws IOException {
        try {
            NodeServer listener = new NodeServer(bind, config.clock(), new IndexerCalls(ledger, config.clock()));
            listener.capConnections(false);
            listener.offerPush(false);
            return listener;
        } catch (BindException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            server.close();
            closeArchive();
            throw new IOException(
                    "the development node's indexer cannot listen on " + HostPort.of(bind) + " (" + e.getMessage()
                            + ")",
                    e);
        }
    }

    /**
     * Starts a node; it answers requests when this method returns.
     *
     * @throws IOException when the address cannot be bound or the folder cannot be used; the message says what to do
     */
    public static Devnet start(DevnetConfig config) throws IOException {
        Devnet devnet = new Devnet(config);
        devnet.begin(config);
        return devnet;
    }

    private void begin(DevnetConfig config) {
        if (ledger.tip().height() == 0) {
            miner.mineHistory(config.firstBlocks());
        }
        server.start();
        indexer.start();
        long interval = config.blockInterval().toMillis();
        if (interval > 0) {
            timer.scheduleWithFixedDelay(this::tick, interval, interval, TimeUnit.MILLISECONDS);
        }
        LOG.info("development node at {} with genesis {}, its indexer at {}", uri(), ledger.genesisId(), indexerUri());
    }

    private void tick() {
        if (mineByItself) {
            try {
                miner.mine(1);
            } catch (RuntimeException e) {
                LOG.error("no block mined", e);
            }
        }
    }

    private void publish(List<Address> scripts, Long tip) {
        if (server != null) {
            server.publish(scripts, tip);
        }
    }

    /** URI of the node, for example {@code http://127.0.0.1:9334/}. */
    public URI uri() {
        return URI.create("http://" + HostPort.of(server.address()) + "/");
    }

    /** URI of the node's indexer. */
    public URI indexerUri() {
        return URI.create("http://" + HostPort.of(indexer.address()) + "/");
    }

    public Hash256 genesisId() {
        return ledger.genesisId();
    }

    /** Address that the miner is paid to and the faucet pays from; it owns every coinbase. */
    public Address minerAddress() {
        return ledger.profile().addressOf(PublicKey.of(minerKey.publicKey()));
    }

    public Ledger ledger() {
        return ledger;
    }

    /** The switches behind {@code devnet_set}. */
    public Faults faults() {
        return faults;
    }

    /** Rechecks which deadlines and heartbeats are due; to be called after setting a manual clock. */
    public void clockMoved() {
        server.clockMoved();
    }

    public Tip tip() {
        return ledger.tip();
    }

    /** Mines {@code count} blocks; their ids, the tip last. */
    public List<Hash256> mine(int count) {
        return miner.mine(count);
    }

    /** Pays from the miner's coins; the next block confirms it. */
    public Hash256 faucet(Address to, Amount amount) {
        return faucet.pay(to, amount);
    }

    /** Replaces the last {@code depth} blocks by {@code depth + 1} empty ones; their transactions go back to the mempool. */
    public List<Hash256> reorg(int depth) {
        return reorganise(depth, true, List.of());
    }

    /** Replaces the last {@code depth} blocks by one more; the ids of the new ones, the tip last. */
    public List<Hash256> reorganise(int depth, boolean keepTransactions, List<Transaction> conflicts) {
        return miner.reorganise(depth, keepTransactions, conflicts);
    }

    /** Forgets all unconfirmed transactions. */
    public void forgetMempool() {
        ledger.forgetMempool();
    }

    /** Sets whether new blocks lack the proof of work that the chain requires. */
    public void mineWithoutWork(boolean on) {
        miner.idle(on);
    }

    /** Whether surplus connections are cut off. */
    public void capConnections(boolean on) {
        server.capConnections(on);
    }

    /** Whether push streams are offered. */
    public void offerPush(boolean on) {
        server.offerPush(on);
    }

    /** Ends all open push streams. */
    public void dropStreams() {
        server.dropStreams();
    }

    /** Stops mining and listening. */
    @Override
    public void close() {
        timer.shutdownNow();
        indexer.close();
        server.close();
        miner.finish();
        minerKey.close();
        closeArchive();
    }

    private void closeArchive() {
        try {
            archive.close();
        } catch (IOException e) {
            LOG.warn("the development chain was not closed properly: {}", e.toString());
        }
    }

    /** Methods that only a development node has: mining on demand, the faucet, reorganisations and faults. */
    private final class DevnetMethods {
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

        List<Method> all() {
            return List.of(
                    Method.free("devnet_mine", params -> mine(MINE.read(orEmpty(params)))),
                    Method.free("devnet_faucet", params -> faucet(FAUCET.read(params))),
                    Method.free("devnet_reorg", params -> reorg(REORG.read(params))),
                    Method.free("devnet_set", params -> set(SET.read(known(params)))));
        }

        /** Rejects unknown members, unlike a node: a misspelt switch of a test must not be ignored. */
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
            return blocks(miner.mine((int) count));
        }

        private JsonNode blocks(List<Hash256> ids) {
            ObjectNode result = Json.object();
            result.set("height", Json.u64(tip().height()));
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
                                faucet.pay(
                                                AddressText.parse(params.text("address")),
                                                Amount.ofUnsigned(params.number("amount")))
                                        .hex());
            } catch (IllegalArgumentException | RejectedException e) {
                throw CallException.invalid(e.getMessage());
            }
        }

        private JsonNode reorg(Params params) {
            long depth = params.number("depth");
            List<Transaction> conflicts =
                    params.texts("conflicts").stream().map(Hex::transaction).toList();
            boolean drop = params.flag("drop").orElse(false);
            try {
                return blocks(miner.reorganise((int) Math.min(depth, Integer.MAX_VALUE), !drop, conflicts));
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
                mineWithoutWork(lie == Lie.NO_WORK);
            });
            params.optionalText("drop").ifPresent(word -> {
                long count = params.optionalNumber("drop_count").orElse(Long.MAX_VALUE);
                faults.drop(drop, count, params.optionalText("drop_method").orElse(null));
            });
            params.optionalNumber("tip_changes").ifPresent(faults::tipChanges);
            params.flag("mining").ifPresent(on -> mineByItself = on);
            params.flag("prompt").ifPresent(ledger::prompt);
            params.flag("connection_cap").ifPresent(server::capConnections);
            params.flag("sse").ifPresent(server::offerPush);
            params.flag("drop_streams").filter(on -> on).ifPresent(on -> server.dropStreams());
            params.flag("forget_mempool").filter(on -> on).ifPresent(on -> ledger.forgetMempool());
            return Json.object().put("ok", true);
        }

        private static <E extends Enum<E>> E word(Params params, String name, E[] all, E none) {
            List<String> words = Arrays.stream(all)
                    .map(one -> one.name().toLowerCase(Locale.ROOT))
                    .toList();
            int index = params.optionalText(name).map(words::indexOf).orElse(none.ordinal());
            if (index < 0) {
                throw CallException.invalid(name + " must be one of " + String.join(", ", words));
            }
            return all[index];
        }
    }
}
