package org.chainwalletd.store.sql;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.TokenBinding;

/**
 * Row of the table {@code spends}. u64 values are stored with the same 64 bits in a signed column.
 *
 * @param held inputs that the spend holds, see {@link Held}
 * @param countedAt time from which its use of the allowance counts, milliseconds since 1970; empty when it uses none or was credited back
 */
public record SpendRow(long id, Intent intent, byte[] held, OptionalLong countedAt) {
    static final String COLUMNS =
            "id, tx_id, kind, from_address, tx, inputs, built_at_height, change_index, token, digest,"
                    + " allowance, created_at, changed_at, state, reason, held, counted_at, token_name, memo, fee";

    static SpendRow read(Row row) throws SQLException {
        OptionalLong change = row.ifNumber("change_index");
        Optional<String> token = row.ifText("token");
        Intent intent = new Intent(
                row.hash("tx_id"),
                row.text("kind"),
                row.address("from_address"),
                row.bytes("tx"),
                Coin.decode(row.raw("inputs")),
                row.number("built_at_height"),
                change.isPresent() ? OptionalInt.of((int) change.getAsLong()) : OptionalInt.empty(),
                token.isPresent() ? Optional.of(new TokenBinding(token.get(), row.hash("digest"))) : Optional.empty(),
                row.amount("allowance"),
                row.number("created_at"),
                new Intent.Progress(
                        IntentState.valueOf(row.text("state")), row.text("reason"), row.number("changed_at")),
                details(row));
        return new SpendRow(row.number("id"), intent, row.raw("held"), row.ifNumber("counted_at"));
    }

    static Intent.Details details(Row row) throws SQLException {
        return new Intent.Details(row.ifText("token_name"), row.ifText("memo"), row.ifAmount("fee"));
    }

    List<Coin> heldCoins() {
        return Held.coins(held, intent.inputs());
    }

    /**
     * Returns the first eight bytes of a digest, big-endian, which the indexes contain instead of all 32. Among ten billion rows about two or three
     * pairs collide, so every lookup also compares the whole digest.
     */
    public static long shortId(Hash256 digest) {
        return ByteBuffer.wrap(digest.toArray()).getLong();
    }

    /**
     * Encoding of the inputs that a spend holds: null for none, one zero byte for all, otherwise one bit per input, the first input in the lowest bit
     * of the first byte.
     */
    static final class Held {
        static final byte[] ALL = {0};
        static final byte[] NONE = null;

        private Held() {}

        static byte[] of(BitSet held, int inputs) {
            if (held.isEmpty()) {
                return NONE;
            }
            return held.cardinality() == inputs ? ALL : held.toByteArray();
        }

        static BitSet bits(byte[] stored, int inputs) {
            if (stored == null) {
                return new BitSet();
            }
            BitSet bits = BitSet.valueOf(stored);
            if (same(stored, ALL)) {
                bits.set(0, inputs);
            }
            return bits;
        }

        static List<Coin> coins(byte[] stored, List<Coin> inputs) {
            List<Coin> held = new ArrayList<>();
            bits(stored, inputs.size()).stream().forEach(i -> held.add(inputs.get(i)));
            return held;
        }

        static boolean same(byte[] one, byte[] other) {
            return Arrays.equals(one, other);
        }
    }
}
