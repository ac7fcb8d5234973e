package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.DomainTag;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.U64;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a block and proves its parts: the block id is the hash of the header, each transaction hashes to its id, and the transactions, byte for
 * byte, hash to the header's root. The list of ids comes from one node; transactions prove themselves and may come from any node; if
 * they do not fit or are not sent, all are read from the node that sent the list. Thread-safe.
 */
final class BlockReader {
    private static final Logger LOG = LoggerFactory.getLogger(BlockReader.class);

    private final ChainProfile profile;
    private final NodeClient any;
    private final Leniency leniency;
    private final Executor executor;

    BlockReader(ChainProfile profile, NodeClient any, Leniency leniency, Executor executor) {
        this.profile = profile;
        this.leniency = leniency;
        this.any = any;
        this.executor = executor;
    }

    /** Returns a reader that reads transactions with another client. */
    BlockReader within(NodeClient client) {
        return new BlockReader(profile, client, leniency, executor);
    }

    /** Bytes of one transaction as a node sent them. The id of undecodable bytes cannot be checked. */
    private record Body(Hash256 listedId, Bytes bytes, Optional<Transaction> decoded) {}

    /** Checks height and id of a block that should be at {@code height}, without its transactions. */
    static Optional<Fault> judge(NodeClient.BlockSummary summary, long height) {
        if (summary.height() != height) {
            return Optional.of(new Fault(Fault.Rule.HEIGHT, height, summary.blockId()));
        }
        return summary.header().id().equals(summary.blockId())
                ? Optional.empty()
                : Optional.of(new Fault(Fault.Rule.ID, height, summary.blockId()));
    }

    /** Reads the block at {@code height} of the chain of {@code node}. Fails only as the node's calls fail. */
    CompletionStage<Fetched> read(NodeClient node, long height) {
        return node.blockAt(height)
                .thenComposeAsync(
                        found -> found.isEmpty()
                                ? missing(height, "the node has no block there")
                                : readBodies(node, found.get(), height),
                        executor);
    }

    /** Reads a block by its id, on whichever branch the node has it. Fails only as the node's calls fail. */
    CompletionStage<Fetched> read(NodeClient node, BlockPlace place) {
        return node.block(place.blockId())
                .thenComposeAsync(
                        found -> found.filter(summary -> summary.blockId().equals(place.blockId()))
                                .map(summary -> readBodies(node, summary, place.height()))
                                .orElseGet(() -> missing(place.height(), "the node does not have this block")),
                        executor);
    }

    private static CompletionStage<Fetched> missing(long height, String reason) {
        return CompletableFuture.completedFuture(new Fetched.Missing(height, reason));
    }

    private CompletionStage<Fetched> readBodies(NodeClient node, NodeClient.BlockSummary summary, long height) {
        Optional<Fault> fault = judge(summary, height);
        if (fault.isPresent()) {
            return CompletableFuture.completedFuture(new Fetched.Invalid(height, fault.get()));
        }
        int count = summary.transactions().size();
        if (count > Block.MAX_TRANSACTIONS) {
            return CompletableFuture.completedFuture(invalid(summary, Fault.Rule.LENGTH));
        }
        // The Merkle tree repeats its last leaf on odd levels: a list whose end is repeated would have the same root.
        if (new HashSet<>(summary.transactions()).size() < count) {
            return CompletableFuture.completedFuture(invalid(summary, Fault.Rule.TRANSACTIONS));
        }
        return bodies(any, summary, newRoom())
                .handleAsync(
                        (found, failure) -> failure == null ? decode(summary, found) : List.of(Optional.<Body>empty()),
                        executor)
                .thenComposeAsync(
                        bodies -> fits(summary, bodies)
                                ? CompletableFuture.<Fetched>completedFuture(whole(summary, bodies))
                                : readFromListingNode(node, summary),
                        executor);
    }

    private CompletionStage<Fetched> readFromListingNode(NodeClient node, NodeClient.BlockSummary summary) {
        AtomicLong room = newRoom();
        return bodies(node, summary, room)
                .thenApplyAsync(
                        found -> room.get() < 0
                                ? invalid(summary, Fault.Rule.LENGTH)
                                : fromListingNode(summary, decode(summary, found)),
                        executor);
    }

    /**
     * Judges the transactions as sent by the node that sent the list. Another node, which answered first, may have sent other witnesses or false
     * data.
     */
    private Fetched fromListingNode(NodeClient.BlockSummary summary, List<Optional<Body>> bodies) {
        if (bodies.stream().anyMatch(Optional::isEmpty)) {
            return new Fetched.Missing(summary.height(), "a transaction of the block cannot be fetched");
        }
        if (fits(summary, bodies)) {
            return whole(summary, bodies);
        }
        if (!bodies.stream().allMatch(body -> hasItsId(body.orElseThrow()))) {
            return invalid(summary, Fault.Rule.TRANSACTIONS);
        }
        Fault root = new Fault(Fault.Rule.ROOT, summary.height(), summary.blockId());
        return leniency.forgives(root) ? whole(summary, bodies) : new Fetched.Invalid(summary.height(), root);
    }

    private static Fetched invalid(NodeClient.BlockSummary summary, Fault.Rule rule) {
        return new Fetched.Invalid(summary.height(), new Fault(rule, summary.height(), summary.blockId()));
    }

    private static AtomicLong newRoom() {
        return new AtomicLong(Block.MAX_TRANSACTIONS_BYTES);
    }

    /**
     * Reads the transactions of a block, and none after one that is missing or does not fit into it: whether the block exists at all is known only once
     * all have been read, and until then they are kept.
     *
     * @param room bytes left in the block; negative once a transaction did not fit
     */
    private CompletionStage<List<Optional<NodeClient.NodeTransaction>>> bodies(
            NodeClient from, NodeClient.BlockSummary summary, AtomicLong room) {
        AtomicBoolean ended = new AtomicBoolean();
        return Bounded.each(
                summary.transactions(),
                Walk.BODIES_AT_ONCE,
                id -> ended.get()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : from.transaction(id)
                                // Counted on the same thread: an executor task for each transaction would cost more.
                                .thenApplyAsync(
                                        found -> {
                                            var kept = found.filter(tx ->
                                                    room.addAndGet(-tx.bytes().length()) >= 0);
                                            if (kept.isEmpty()) {
                                                ended.set(true);
                                            }
                                            return kept;
                                        },
                                        Runnable::run),
                executor);
    }

    /** Decodes all transactions of a block in one task: a task for each would cost more than the decoding. */
    private static List<Optional<Body>> decode(
            NodeClient.BlockSummary summary, List<Optional<NodeClient.NodeTransaction>> found) {
        List<Optional<Body>> bodies = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            Hash256 id = summary.transactions().get(i);
            bodies.add(found.get(i).map(tx -> decode(id, tx.bytes())));
        }
        return bodies;
    }

    private static Body decode(Hash256 listedId, Bytes bytes) {
        try {
            return new Body(listedId, bytes, Optional.of(TransactionCodec.decode(bytes.toArray())));
        } catch (DecodeException e) {
            return new Body(listedId, bytes, Optional.empty());
        }
    }

    private boolean fits(NodeClient.BlockSummary summary, List<Optional<Body>> bodies) {
        List<Hash256> leaves = new ArrayList<>(bodies.size());
        for (Optional<Body> body : bodies) {
            if (body.isEmpty() || !hasItsId(body.get())) {
                return false;
            }
            leaves.add(profile.hash(DomainTag.WTXID, body.get().bytes().toArray()));
        }
        return MerkleTree.root(profile, leaves).equals(summary.txRoot());
    }

    private boolean hasItsId(Body body) {
        return body.decoded().isEmpty()
                || TransactionCodec.txId(profile, body.decoded().get()).equals(body.listedId());
    }

    private Fetched whole(NodeClient.BlockSummary summary, List<Optional<Body>> bodies) {
        List<ChainTransaction> transactions = new ArrayList<>(bodies.size());
        for (Optional<Body> found : bodies) {
            Body body = found.orElseThrow();
            if (body.decoded().isEmpty()) {
                LOG.warn(
                        "transaction {} of block {} cannot be decoded and is skipped",
                        body.listedId(),
                        U64.toString(summary.height()));
            }
            transactions.add(new ChainTransaction(body.listedId(), body.decoded(), transactions.isEmpty()));
        }
        return new Fetched.Whole(new ChainBlock(summary.header(), summary.blockId(), transactions), false);
    }
}
