package org.chainwalletd.devnet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.devnet.call.Faults;
import org.chainwalletd.devnet.call.NodeCalls;
import org.chainwalletd.devnet.call.NodeCalls.DevnetControl;
import org.chainwalletd.devnet.indexer.IndexerCalls;
import org.chainwalletd.devnet.ledger.Faucet;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.devnet.ledger.Miner;
import org.chainwalletd.devnet.ledger.Miner.BlockArchive;
import org.chainwalletd.devnet.wire.NodeServer;
import org.chainwalletd.store.files.AppendLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Running development node: ledger, miner, faucet, listener, and an indexer with a separate listener. Thread-safe.
 */
public final class Devnet implements AutoCloseable, DevnetControl {
    private static final Logger LOG = LoggerFactory.getLogger(Devnet.class);
    private static final int MAX_PORT = 65_535;

    private final SigningKey minerKey;
    /** Null for a chain that lives in memory only. */
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
        Address minerAddress = config.profile().addressOf(PublicKey.of(minerKey.publicKey()));
        archive = config.folder().isPresent() ? BlockLog.open(config.folder().get(), ledger) : null;
        miner = new Miner(ledger, archive == null ? BlockArchive.NONE : archive, minerAddress, config.clock());
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
            return new NodeServer(config.bind(), config.clock(), new NodeCalls(ledger, config.clock(), faults, this));
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

    @Override
    public Tip tip() {
        return ledger.tip();
    }

    @Override
    public List<Hash256> mine(int count) {
        return miner.mine(count);
    }

    @Override
    public Hash256 faucet(Address to, Amount amount) {
        return faucet.pay(to, amount);
    }

    /** Replaces the last {@code depth} blocks by {@code depth + 1} empty ones; their transactions go back to the mempool. */
    public List<Hash256> reorg(int depth) {
        return reorganise(depth, true, List.of());
    }

    @Override
    public List<Hash256> reorganise(int depth, boolean keepTransactions, List<Transaction> conflicts) {
        return miner.reorganise(depth, keepTransactions, conflicts);
    }

    @Override
    public void forgetMempool() {
        ledger.forgetMempool();
    }

    @Override
    public void mineByItself(boolean on) {
        mineByItself = on;
    }

    @Override
    public void minePromptly(boolean on) {
        ledger.prompt(on);
    }

    @Override
    public void mineWithoutWork(boolean on) {
        miner.idle(on);
    }

    @Override
    public void capConnections(boolean on) {
        server.capConnections(on);
    }

    @Override
    public void offerPush(boolean on) {
        server.offerPush(on);
    }

    @Override
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
            if (archive != null) {
                archive.close();
            }
        } catch (IOException e) {
            LOG.warn("the development chain was not closed properly: {}", e.toString());
        }
    }

    /**
     * The chain on disk: {@code blocks.log} in the node's folder. A record is {@code 01 ‖ block} or, before the blocks of another branch,
     * {@code 02 ‖ u32le number of disconnected blocks}. The title names brand and genesis, so that a folder of another chain is refused.
     */
    private static final class BlockLog implements BlockArchive, AutoCloseable {
        private static final String FILE = "blocks.log";
        private static final byte BLOCK = 1;
        private static final byte DISCONNECT = 2;

        private final AppendLog log;

        private BlockLog(AppendLog log) {
            this.log = log;
        }

        /**
         * Opens or creates the log in {@code folder} and replays it.
         *
         * @throws IOException when it is damaged, in use, or of another chain; the message says what to do
         */
        static BlockLog open(Path folder, Ledger ledger) throws IOException {
            byte[] title = ("devnet blocks 1 " + ledger.profile().brand() + " " + ledger.genesisId())
                    .getBytes(StandardCharsets.UTF_8);
            return new BlockLog(AppendLog.open(folder.resolve(FILE), title, record -> replay(record, ledger)));
        }

        private static void replay(byte[] record, Ledger ledger) throws IOException {
            byte[] body = Arrays.copyOfRange(record, Math.min(1, record.length), record.length);
            if (record.length > 1 && record[0] == BLOCK) {
                ledger.restore(Block.decode(body));
            } else if (record.length == 1 + Integer.BYTES && record[0] == DISCONNECT) {
                ledger.restoreDisconnect(
                        ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getInt());
            } else {
                throw new IOException("unknown kind of record");
            }
        }

        @Override
        public void append(Block block) {
            byte[] encoded = block.encode();
            write(ByteBuffer.allocate(1 + encoded.length).put(BLOCK).put(encoded));
        }

        @Override
        public void disconnect(int depth) {
            write(ByteBuffer.allocate(1 + Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(DISCONNECT)
                    .putInt(depth));
        }

        private void write(ByteBuffer record) {
            try {
                log.append(record.array());
            } catch (IOException e) {
                throw new UncheckedIOException("the development chain cannot be written", e);
            }
        }

        @Override
        public void close() throws IOException {
            log.close();
        }
    }
}
