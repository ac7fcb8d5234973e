package org.chainwalletd.spend;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.testkit.Stub;

/**
 * Node in front of an honest ledger that returns false data independently of its actions: false values and heights in listings, false
 * locations of transactions, false spenders of outputs, and false answers to submitted bytes.
 */
final class LyingNode {
    /** Height above every mined block. */
    private static final long ABOVE_EVERYTHING = -1;

    private final LedgerNode behind;
    private final Ledger ledger;
    private final Random random;
    private final int percent;
    private final boolean alone;
    private final Map<Hash256, Bytes> received = new ConcurrentHashMap<>();
    /** Transactions that it accepted and claims not to know. */
    private final Set<Hash256> denied = ConcurrentHashMap.newKeySet();

    private volatile boolean honest;

    /**
     * @param percent percentage of false answers
     * @param alone whether there is no other node that could contradict it
     */
    LyingNode(LedgerNode behind, Ledger ledger, Random random, int percent, boolean alone) {
        this.behind = behind;
        this.ledger = ledger;
        this.random = random;
        this.percent = percent;
        this.alone = alone;
    }

    /** Makes it answer truthfully from now on. */
    void repent() {
        honest = true;
        denied.clear();
    }

    NodeClient client() {
        return Stub.of(NodeClient.class, call -> switch (call.name()) {
            case "each" -> alone ? List.of(call.self()) : List.of(call.self(), behind);
            case "hasty", "pinned", "patient", "background" -> call.self();
            case "sendRawTransaction" -> send((Bytes) call.arguments()[0]);
            case "transaction" -> transaction((Hash256) call.arguments()[0]);
            case "spentBy", "knownSpentBy" -> spentBy((Outpoint) call.arguments()[0]);
            case "addressUtxos" -> call.arguments()[0] instanceof Address address ? listing(address) : call.on(behind);
            default -> call.on(behind);
        });
    }

    /** Draws 0 for a true answer, otherwise the number of a kind of false answer. */
    private int lie(int lies) {
        synchronized (random) {
            return honest || random.nextInt(100) >= percent ? 0 : 1 + random.nextInt(lies);
        }
    }

    private CompletionStage<Hash256> send(Bytes bytes) {
        Hash256 txId = TransactionCodec.txId(SpendHarness.PROFILE, TransactionCodec.decode(bytes.toArray()));
        received.put(txId, bytes);
        int lie = lie(10);
        if (lie == 0) {
            return behind.sendRawTransaction(bytes);
        }
        boolean taken = lie % 2 == 0;
        if (taken) {
            denied.add(txId);
        }
        CompletionStage<?> done = taken
                ? behind.sendRawTransaction(bytes).handle((any, failure) -> any)
                : CompletableFuture.completedFuture(behind.heard(bytes));
        return done.thenCompose(any -> answer(bytes, txId, lie));
    }

    private static CompletionStage<Hash256> answer(Bytes bytes, Hash256 txId, int lie) {
        Outpoint input = TransactionCodec.decode(bytes.toArray()).inputs().get(0);
        String named = "OutPoint { tx_id: Hash256(" + input.txId() + "), output_index: " + input.index() + " }";
        return switch (lie) {
            case 1, 2 -> rejected("Mempool pre-check failed: double-spend of " + named);
            case 3, 4 -> rejected("Transaction validation failed: UtxoNotFound(" + named + ")");
            case 5, 6 -> rejected("Mempool pre-check failed: transaction already in mempool");
            case 7, 8 -> rejected("Transaction validation failed: InvalidSignature");
            case 9 -> CompletableFuture.completedFuture(txId);
            default -> CompletableFuture.completedFuture(Hash256.sha256(txId.toArray()));
        };
    }

    private static CompletionStage<Hash256> rejected(String words) {
        return CompletableFuture.failedFuture(new NodeException.Rejected(-32602, words));
    }

    private CompletionStage<Optional<NodeClient.NodeTransaction>> transaction(Hash256 txId) {
        int lie = lie(6);
        if (lie == 1 || denied.contains(txId)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return behind.transaction(txId)
                .thenApply(found -> lie == 0
                        ? found
                        : found.map(NodeClient.NodeTransaction::bytes)
                                .or(() -> Optional.ofNullable(received.get(txId)))
                                .map(bytes -> misplaced(txId, bytes, lie)));
    }

    private NodeClient.NodeTransaction misplaced(Hash256 txId, Bytes bytes, int lie) {
        if (lie == 2) {
            return new NodeClient.NodeTransaction(txId, bytes, true, null, null);
        }
        long tip = ledger.tip().height();
        long height = switch (lie) {
            case 3 -> ABOVE_EVERYTHING;
            case 4 -> 0;
            case 5 -> Math.max(0, tip - 2 * SpendHarness.BURIAL_DEPTH);
            default -> tip;
        };
        Hash256 blockId = height == ABOVE_EVERYTHING
                ? Hash256.sha256(txId.toArray())
                : ledger.blockAt(height).orElseThrow().id();
        return new NodeClient.NodeTransaction(txId, bytes, false, blockId, height);
    }

    private CompletionStage<Optional<NodeClient.SpentBy>> spentBy(Outpoint outpoint) {
        return lie(1) == 0
                ? behind.spentBy(outpoint)
                : CompletableFuture.completedFuture(Optional.of(new NodeClient.SpentBy(
                        Hash256.sha256(outpoint.txId().toArray()),
                        0,
                        ledger.tip().height())));
    }

    private CompletionStage<NodeClient.UtxoListing> listing(Address address) {
        int lie = lie(4);
        return behind.addressUtxos(address).thenApply(listing -> lie == 0 ? listing : falsified(listing, lie));
    }

    private static NodeClient.UtxoListing falsified(NodeClient.UtxoListing listing, int lie) {
        if (lie > 2) {
            long tip = lie == 3 ? ABOVE_EVERYTHING : 0;
            return new NodeClient.UtxoListing(listing.utxos(), listing.truncated(), tip, listing.node());
        }
        List<NodeClient.Utxo> coins = listing.utxos().stream()
                .map(coin -> new NodeClient.Utxo(
                        coin.outpoint(),
                        lie == 1
                                ? Amount.of(coin.value().bits() / 2 + 1)
                                : coin.value().plus(coin.value()),
                        coin.height(),
                        coin.coinbase(),
                        coin.scriptLength()))
                .toList();
        return new NodeClient.UtxoListing(coins, listing.truncated(), listing.tipHeight(), listing.node());
    }
}
