package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/** Determines from the books whether our transactions are in a block or have lost a coin. Stages fail with {@code StoreException}. */
public final class SpendingBooks {
    private final Books file;

    public SpendingBooks(Books file) {
        this.file = file;
    }

    /**
     * Transaction of ours to look up.
     *
     * @param inputs all outpoints that it spends
     * @param place the block that contained it last, if any
     */
    public record Question(Hash256 txId, List<Outpoint> inputs, Optional<BlockPlace> place) {}

    /** Result for a transaction, on the followed chain. */
    public sealed interface Fate {
        /** The transaction is in this block. */
        record InBlock(BlockPlace place) implements Fate {}

        /** Another transaction in a block has spent one of its inputs. */
        record Lost(Spending to) implements Fate {}

        /** No block that was read contains the transaction or another one that spends its inputs. */
        record Open() implements Fate {}

        /** No block id is kept at the height of the transaction's last block. */
        record TooDeep() implements Fate {}
    }

    /**
     * Returns the results, in the order of the questions, on the chain that ends with the block {@code tip}; empty when the books now follow another
     * chain, or have not reached that block yet.
     */
    public CompletionStage<Optional<List<Fate>>> fates(BlockPlace tip, List<Question> questions) {
        return file.read(session -> {
            Page head = session.head();
            if (!BlockRows.has(head, tip)) {
                return Optional.empty();
            }
            return Optional.of(questions.stream()
                    .map(question -> fate(head, tip, question))
                    .toList());
        });
    }

    private static Fate fate(Page head, BlockPlace tip, Question question) {
        for (Outpoint input : question.inputs()) {
            Optional<Spending> spent = spent(head, input, tip.height());
            if (spent.isPresent()) {
                return spent.get().by().equals(question.txId())
                        ? new Fate.InBlock(spent.get().place())
                        : new Fate.Lost(spent.get());
            }
        }
        return question.place().map(place -> last(head, tip, place)).orElseGet(Fate.Open::new);
    }

    /** Decides by block ids alone, for a block older than this book. */
    private static Fate last(Page head, BlockPlace tip, BlockPlace place) {
        if (place.height() > tip.height()) {
            return new Fate.Open();
        }
        Optional<BlockRow> there = BlockRows.from(head, place.height()).filter(row -> row.height() == place.height());
        return there.<Fate>map(row -> row.place().equals(place) ? new Fate.InBlock(place) : new Fate.Open())
                .orElseGet(Fate.TooDeep::new);
    }

    private static Optional<Spending> spent(Page head, Outpoint outpoint, long upTo) {
        return head.queryOne(
                "SELECT spent_by, height, block FROM spendings INDEXED BY spendings_by_outpoint"
                        + " WHERE substr(tx_id, 1, 6) = substr(?1, 1, 6) AND tx_id = ?1 AND output_index = ?2"
                        + " AND scan = ?3 AND height <= ?4",
                row -> new Spending(
                        outpoint,
                        Hash256.of(row.getBytes(1)),
                        new BlockPlace(row.getLong(2), Hash256.of(row.getBytes(3)))),
                outpoint,
                head.scan(),
                upTo);
    }
}
