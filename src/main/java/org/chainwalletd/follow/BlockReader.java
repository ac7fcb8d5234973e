package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
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
 * byte, hash to the header's root. The list of ids comes from one node; transactions prove themselves and may come from any node. Safe for threads.
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

    /** Bytes of one transaction as a node sent them. The id of undecodable bytes cannot be checked. */
    private record Body(Hash256 listedId, Bytes bytes, Optional<Transaction> decoded) {}

    /** Checks height and id of a block that should be at {@code height}, without its transactions. */
    static Optional<Fault> judge(NodeClient.BlockSummary told, long height) {
        if (told.height() != height) {
            return Optional.of(new Fault(Fault.Rule.HEIGHT, height, told.blockId()));
        }
        return told.header().id().equals(told.blockId())
                ? Optional.empty()
                : Optional.of(new Fault(Fault.Rule.ID, height, told.blockId()));
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
                        found -> found.filter(told -> told.blockId().equals(place.blockId()))
                                .map(told -> readBodies(node, told, place.height()))
                                .orElseGet(() -> missing(place.height(), "the node does not have this block")),
                        executor);
    }

    private static CompletionStage<Fetched> missing(long height, String what) {
        return CompletableFuture.completedFuture(new Fetched.Missing(height, what));
    }

    private CompletionStage<Fetched> readBodies(NodeClient node, NodeClient.BlockSummary told, long height) {
        Optional<Fault> fault = judge(told, height);
        if (fault.isPresent()) {
            return CompletableFuture.completedFuture(new Fetched.Unsound(height, fault.get()));
        }
        // The Merkle tree repeats its last leaf on odd levels: a list whose end is repeated would have the same root.
        if (new HashSet<>(told.transactions()).size() < told.transactions().size()) {
            return CompletableFuture.completedFuture(unsound(told, Fault.Rule.TRANSACTIONS));
        }
        return bodies(any, told)
                .thenComposeAsync(
                        found -> {
                            List<Optional<Body>> bodies = decode(told, found);
                            return fits(told, bodies)
                                    ? CompletableFuture.<Fetched>completedFuture(whole(told, bodies))
                                    : bodies(node, told)
                                            .thenApplyAsync(own -> fromItself(told, decode(told, own)), executor);
                        },
                        executor);
    }

    /**
     * Judges the transactions as sent by the node that sent the list. Another node, which answered first, may have sent other witnesses or false
     * data.
     */
    private Fetched fromItself(NodeClient.BlockSummary told, List<Optional<Body>> bodies) {
        if (bodies.stream().anyMatch(Optional::isEmpty)) {
            return new Fetched.Missing(told.height(), "a transaction of the block is not to be had");
        }
        if (fits(told, bodies)) {
            return whole(told, bodies);
        }
        if (!bodies.stream().allMatch(body -> hasItsId(body.orElseThrow()))) {
            return unsound(told, Fault.Rule.TRANSACTIONS);
        }
        Fault root = new Fault(Fault.Rule.ROOT, told.height(), told.blockId());
        return leniency.forgives(root) ? whole(told, bodies) : new Fetched.Unsound(told.height(), root);
    }

    private static Fetched unsound(NodeClient.BlockSummary told, Fault.Rule rule) {
        return new Fetched.Unsound(told.height(), new Fault(rule, told.height(), told.blockId()));
    }

    private CompletionStage<List<Optional<NodeClient.NodeTransaction>>> bodies(
            NodeClient from, NodeClient.BlockSummary told) {
        return Bounded.each(told.transactions(), Walk.BODIES_AT_ONCE, from::transaction, executor);
    }

    /** Decodes all transactions of a block in one task: a task for each would cost more than the decoding. */
    private static List<Optional<Body>> decode(
            NodeClient.BlockSummary told, List<Optional<NodeClient.NodeTransaction>> found) {
        List<Optional<Body>> bodies = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            Hash256 id = told.transactions().get(i);
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

    private boolean fits(NodeClient.BlockSummary told, List<Optional<Body>> bodies) {
        List<Hash256> leaves = new ArrayList<>(bodies.size());
        for (Optional<Body> body : bodies) {
            if (body.isEmpty() || !hasItsId(body.get())) {
                return false;
            }
            leaves.add(profile.hash(DomainTag.WTXID, body.get().bytes().toArray()));
        }
        return MerkleTree.root(profile, leaves).equals(told.txRoot());
    }

    private boolean hasItsId(Body body) {
        return body.decoded().isEmpty()
                || TransactionCodec.txId(profile, body.decoded().get()).equals(body.listedId());
    }

    private Fetched whole(NodeClient.BlockSummary told, List<Optional<Body>> bodies) {
        List<ChainTransaction> transactions = new ArrayList<>(bodies.size());
        for (Optional<Body> found : bodies) {
            Body body = found.orElseThrow();
            if (body.decoded().isEmpty()) {
                LOG.warn(
                        "transaction {} of block {} cannot be decoded and is skipped",
                        body.listedId(),
                        U64.toString(told.height()));
            }
            transactions.add(new ChainTransaction(body.listedId(), body.decoded(), transactions.isEmpty()));
        }
        return new Fetched.Whole(new ChainBlock(told.header(), told.blockId(), transactions), false);
    }
}
