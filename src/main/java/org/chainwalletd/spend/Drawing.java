package org.chainwalletd.spend;

import java.security.SecureRandom;
import org.chainwalletd.chain.Bytes;

/**
 * What decides between transactions that would do equally well. Two daemons with one key that make the same payment at the same moment must
 * not build the same bytes: the chain would take them for one payment.
 */
@FunctionalInterface
public interface Drawing {
    /** Of the datum that marks change. A quote's datum has another length. */
    int MARK_LENGTH = 8;

    /** As the daemon draws: what another process draws at the same moment has nothing to do with it. */
    Drawing RANDOM = new SecureRandom()::nextInt;

    /** Always the first: what is built then follows from the coins alone. */
    Drawing FIRST = count -> 0;

    /**
     * One of {@code count} equally good ones, by its number from 0.
     *
     * @param count at least 1
     */
    int of(int count);

    /** Whether change is marked, so that no two payments are the same transaction, whoever makes them. */
    default boolean marks() {
        return false;
    }

    /** The mark of one payment's change. */
    default Bytes mark() {
        byte[] mark = new byte[MARK_LENGTH];
        for (int i = 0; i < mark.length; i++) {
            mark[i] = (byte) of(1 << Byte.SIZE);
        }
        return Bytes.wrap(mark);
    }

    /** Draws the same way, and marks change. */
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
