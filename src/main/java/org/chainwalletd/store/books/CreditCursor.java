package org.chainwalletd.store.books;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;

/**
 * Position of a reader in the feed of credits. It belongs to one store, one depth and one address, and does not expire.
 *
 * @param store id of the store that issued it
 * @param depth confirmations that the reader requires; 0 and 1 differ
 * @param address empty for all addresses
 * @param log log entries up to this number are reported or irrelevant to the reader
 * @param height credits of blocks up to this height are reported; not used at depth 0
 * @param position credits of the next block before this position are reported; not used at depth 0
 */
public record CreditCursor(String store, long depth, Optional<Address> address, long log, long height, long position) {
    private static final String VERSION = "c1";
    private static final int PARTS = 7;
    private static final String ANY = "-";

    public static CreditCursor beginning(String store, long depth, Optional<Address> address) {
        return new CreditCursor(store, depth, address, 0, -1, 0);
    }

    CreditCursor at(long newLog) {
        return new CreditCursor(store, depth, address, newLog, height, position);
    }

    CreditCursor at(long newHeight, long newPosition) {
        return new CreditCursor(store, depth, address, log, newHeight, newPosition);
    }

    /** Returns the cursor after {@code event}, for a reader of the log at depth 0. */
    public CreditCursor after(CreditEvent event) {
        return at(event.number());
    }

    /** Returns whether no credit of a block was reported to the reader, so that the log has nothing for it; not used at depth 0. */
    boolean isBeforeFirstBlock() {
        return depth > 0 && height < 0 && position == 0;
    }

    /** Returns whether a credit that was entered before the cursor's position in the log was reported to the reader. */
    boolean isTold(Credit credit) {
        long at = credit.block().height();
        return at <= height || at == height + 1 && credit.position() < position;
    }

    public String text() {
        return VERSION + "." + store + "." + depth + "."
                + address.map(a -> Hash256.sha256(a.toArray()).hex().substring(0, 16))
                        .orElse(ANY) + "." + log + "."
                + height + "." + position;
    }

    /**
     * Parses the text form of a cursor.
     *
     * @param depth requested by the call that carries the cursor
     * @param address requested by that call
     * @return empty when it is not a cursor of this store with these parameters
     */
    public static Optional<CreditCursor> parse(String text, String store, long depth, Optional<Address> address) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != PARTS) {
            return Optional.empty();
        }
        try {
            CreditCursor read = new CreditCursor(
                    store,
                    depth,
                    address,
                    Long.parseLong(parts[4]),
                    Long.parseLong(parts[5]),
                    Long.parseLong(parts[6]));
            return read.text().equals(text) && read.isSound() ? Optional.of(read) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private boolean isSound() {
        return log >= 0 && height >= -1 && position >= 0;
    }
}
