package org.chainwalletd.store.books;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;

/**
 * End of a page of a history from the books, after which the next page begins.
 *
 * @param block kept block at or above the position: while the chain has it, no block with rows up to the position was replaced; within the last
 *     10,000 blocks, since older ones count as still there
 * @param completeFrom height from which the coins of the address were known when the list began; 0 when the whole list lacks nothing
 */
public record HistoryCursor(HistoryEntry.Position position, BlockPlace block, long completeFrom) {
    /** No cursor of an indexer has a dot: theirs are in base64url. */
    private static final String PREFIX = "h1.";

    private static final String INPUT = "i";
    private static final String OUTPUT = "o";
    private static final String HEIGHT = "(0|[1-9][0-9]{0,17})";
    private static final String ID = "([0-9a-f]{64})";
    private static final Pattern TEXT =
            Pattern.compile(Pattern.quote(PREFIX) + String.join(":", HEIGHT, ID, "([io])", HEIGHT, ID, HEIGHT));

    /** Tells whether a text has the form of our cursors, in contrast to those of indexers; it may still be none. */
    public static boolean isOurs(String text) {
        return text.startsWith(PREFIX);
    }

    public String text() {
        return PREFIX
                + String.join(
                        ":",
                        String.valueOf(position.height()),
                        position.txId().hex(),
                        position.input() ? INPUT : OUTPUT,
                        String.valueOf(block.height()),
                        block.blockId().hex(),
                        String.valueOf(completeFrom));
    }

    /** Parses the text form; empty for a text that is not from {@link #text}. */
    public static Optional<HistoryCursor> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(new HistoryCursor(
                new HistoryEntry.Position(
                        Long.parseLong(parts.group(1)),
                        Hash256.parse(parts.group(2)),
                        parts.group(3).equals(INPUT)),
                new BlockPlace(Long.parseLong(parts.group(4)), Hash256.parse(parts.group(5))),
                Long.parseLong(parts.group(6))));
    }
}
