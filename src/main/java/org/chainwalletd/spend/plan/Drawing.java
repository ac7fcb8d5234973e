package org.chainwalletd.spend.plan;

import java.security.SecureRandom;
import org.chainwalletd.chain.Bytes;

/**
 * Choice between equally good transactions. Two daemons with the same key that make the same payment at the same moment must not build the
 * same bytes: the chain would treat them as one payment.
 */
@FunctionalInterface
public interface Drawing {
    /** Length in bytes of the datum that marks change. The datum of a quote has a different length. */
    int MARK_LENGTH = 8;

    /** Draws at random, as the daemon does, independently of the draws of other processes. */
    Drawing RANDOM = new SecureRandom()::nextInt;

    /** Always draws the first, so that the coins alone determine the transaction. */
    Drawing FIRST = count -> 0;

    /**
     * Draws one of {@code count} equally good transactions, by its number from 0.
     *
     * @param count at least 1
     */
    int of(int count);

    /** Whether change is marked, so that no two payments are the same transaction, even payments of different daemons. */
    default boolean marks() {
        return false;
    }

    /** Creates the mark for one payment's change, {@value #MARK_LENGTH} bytes. */
    default Bytes mark() {
        byte[] mark = new byte[MARK_LENGTH];
        for (int i = 0; i < mark.length; i++) {
            mark[i] = (byte) of(1 << Byte.SIZE);
        }
        return Bytes.wrap(mark);
    }

    /** Returns a choice that draws the same way and marks change. */
    default Drawing marking() {
        Drawing plain = this;
        return new Drawing() {
            @Override
            public int of(int count) {
                return plain.of(count);
            }

            @Override
            public boolean marks() {
                return true;
            }
        };
    }
}
