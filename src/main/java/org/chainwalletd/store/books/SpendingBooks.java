package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/** Tells from the books what became of transactions of ours. Stages fail with {@code StoreException}. */
public final class SpendingBooks {
    private final Books file;

    public SpendingBooks(Books file) {
        this.file = file;
    }

    /**
     * A transaction of ours.
     *
     * @param inputs all that it spends
     * @param place the block in which it was last, if it was in one
     */
    public record Question(Hash256 txId, List<Outpoint> inputs, Optional<BlockPlace> place) {}

    /** What the followed chain says of a transaction. */
    public sealed interface Fate {
        /** It is in this block. */
        record InBlock(BlockPlace place) implements Fate {}

        /** One of its inputs was spent by another transaction, in a block. */
        record Lost(Spending to) implements Fate {}

        /** No block that was read has it, nor anything in its place. */
        record Open() implements Fate {}

        /** No id is kept at the height of its last block. */
        record TooDeep() implements Fate {}
    }

    /**
     * The fates, in the order of the questions, on the chain that ends with the block {@code tip}; empty when the books have another chain by
     * now, or do not reach so far yet.
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

    /** Of blocks from before this book was kept only the ids tell. */
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
                outpoint.txId().toArray(),
                outpoint.index(),
                head.scan(),
                upTo);
    }
}
