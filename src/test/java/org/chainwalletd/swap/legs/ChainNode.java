package org.chainwalletd.swap.legs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.call.Faults;
import org.chainwalletd.devnet.call.Lie;
import org.chainwalletd.devnet.call.NodeCalls;
import org.chainwalletd.devnet.ledger.Effort;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.wire.NodeServer;
import org.chainwalletd.devnet.wire.RpcHandler;
import org.chainwalletd.testkit.ManualClock;

/** Node that the daemon queries, with injectable faults. A listener gets each transaction and each question before the node does. */
public final class ChainNode implements RpcHandler, AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SEND = "send_raw_transaction";
    private static final Set<Lie> OF_BLOCKS =
            EnumSet.of(Lie.SHAPE, Lie.OMISSION, Lie.HEIGHT, Lie.GENESIS, Lie.NO_GENESIS, Lie.SCRIPT, Lie.TX_VALUE);

    private final Devnet chain;
    private final ManualClock clock;
    private final Consumer<Transaction> ear;
    private final Consumer<String> questions;
    private final Faults faults = new Faults();
    private final NodeCalls calls;
    private final NodeServer server;
    private volatile NodeCalls asked;
    private volatile boolean silent;
    private volatile boolean misleads;

    public ChainNode(Devnet chain, ManualClock clock, Consumer<Transaction> ear, Consumer<String> questions) {
        this.chain = chain;
        this.clock = clock;
        this.ear = ear;
        this.questions = questions;
        calls = new NodeCalls(chain.ledger(), clock, faults, List.of());
        asked = calls;
        try {
            server = new NodeServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), clock, this);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.offerPush(false);
        server.capConnections(false);
        server.start();
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.address().getPort() + "/");
    }

    /** Closes connections without an answer. */
    public void silent() {
        silent = true;
    }

    public void lies(Lie lie) {
        misleads = OF_BLOCKS.contains(lie);
        faults.lie(lie);
    }

    /** Refuses transactions for a reason unrelated to them. */
    public void refuses() {
        faults.refuse(true);
    }

    /** Executes the next sends but closes the connection before the answer. */
    public void losesAnswers(int count) {
        faults.drop(Faults.Drop.AFTER, count, SEND);
    }

    /** Isolates the node: it gets no new blocks, and what it is sent reaches no other node. */
    public void stale() {
        Ledger old = new Ledger(chain.ledger().profile(), Effort.NONE, (touched, tip) -> {});
        for (long height = 1; height <= chain.ledger().tip().height(); height++) {
            old.restore(chain.ledger().blockAt(height).orElseThrow().block());
        }
        asked = new NodeCalls(old, clock, faults, List.of());
    }

    /** Ends all faults. */
    public void behave() {
        silent = false;
        misleads = false;
        asked = calls;
        faults.lie(Lie.NONE);
        faults.refuse(false);
        faults.drop(Faults.Drop.NONE, 0, null);
    }

    /** Tests whether it reports the newest blocks, unaltered. */
    public boolean isUpToDate() {
        return !silent && !misleads && asked == calls;
    }

    @Override
    public Reply answer(InetAddress peer, byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8);
        if (text.contains(SEND)) {
            ear.accept(transaction(text));
        } else {
            questions.accept(text);
        }
        return silent ? new Reply(null, 0) : asked.answer(peer, body);
    }

    private static Transaction transaction(String call) {
        try {
            JsonNode params = JSON.readTree(call).path("params");
            return TransactionCodec.decode(
                    HexFormat.of().parseHex(params.path("tx_hex").asText()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
