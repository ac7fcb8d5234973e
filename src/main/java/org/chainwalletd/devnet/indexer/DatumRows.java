package org.chainwalletd.devnet.indexer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;

/** Outputs with an inline datum of 16 bytes, which is a quote id, and outputs with only a datum hash. */
final class DatumRows {
    static final int QUOTE_ID_BYTES = 16;

    private final Map<Outpoint, Bytes> quotes = new HashMap<>();
    private final Map<Bytes, SortedSet<Outpoint>> byQuote = new HashMap<>();
    private final Set<Outpoint> unhonorable = new HashSet<>();

    void created(Outpoint outpoint, TxOutput output, Undo undo) {
        Bytes datum = output.datum();
        if (datum != null && datum.length() == QUOTE_ID_BYTES) {
            quotes.put(outpoint, datum);
            byQuote.computeIfAbsent(datum, any -> new TreeSet<>()).add(outpoint);
            undo.add(() -> {
                quotes.remove(outpoint);
                byQuote.get(datum).remove(outpoint);
            });
        } else if (datum == null && output.datumHash() != null) {
            unhonorable.add(outpoint);
            undo.add(() -> unhonorable.remove(outpoint));
        }
    }

    /** Returns the quote id of the output, or null. */
    Bytes quoteOf(Outpoint outpoint) {
        return quotes.get(outpoint);
    }

    boolean isUnhonorable(Outpoint outpoint) {
        return unhonorable.contains(outpoint);
    }

    SortedSet<Outpoint> of(Bytes quoteId) {
        return byQuote.getOrDefault(quoteId, new TreeSet<>());
    }
}
