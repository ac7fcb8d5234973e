package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Bytes32;
import org.chainwalletd.chain.Hash256;

/**
 * Row of a query result: the columns of a row with several are read by name, a single column by its number, from 1. The only class that knows how
 * values are stored in columns: u64 with the same 64 bits in a signed number, booleans as 0 or 1, larger numbers as big-endian bytes.
 */
public final class Row {
    private final ResultSet columns;

    public Row(ResultSet columns) {
        this.columns = columns;
    }

    /**
     * Returns the values of a statement as columns store them: optional values as their value or null, bytes and hashes as arrays, amounts with the
     * same 64 bits, names of enum constants as text, numbers of up to 256 bits as bytes without a sign; other values unchanged.
     */
    static Object[] stored(Object... values) {
        return Arrays.stream(values).map(Row::stored).toArray();
    }

    private static Object stored(Object value) {
        if (value instanceof Optional<?> maybe) {
            return maybe.map(Row::stored).orElse(null);
        } else if (value instanceof OptionalLong number) {
            return number.isPresent() ? number.getAsLong() : null;
        } else if (value instanceof OptionalInt number) {
            return number.isPresent() ? number.getAsInt() : null;
        } else if (value instanceof Bytes bytes) {
            return bytes.toArray();
        } else if (value instanceof Bytes32<?> bytes) {
            return bytes.toArray();
        } else if (value instanceof Amount amount) {
            return amount.bits();
        } else if (value instanceof BigInteger number) {
            return unsigned(number);
        }
        return value instanceof Enum<?> constant ? constant.name() : value;
    }

    /** Returns a number that is not negative as big-endian bytes; one byte for zero. */
    private static byte[] unsigned(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return bytes.length > 1 && bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    }

    public long getLong(int column) throws SQLException {
        return columns.getLong(column);
    }

    public int getInt(int column) throws SQLException {
        return columns.getInt(column);
    }

    public String getString(int column) throws SQLException {
        return columns.getString(column);
    }

    /** Returns the bytes of a column; null if the column is null. */
    public byte[] getBytes(int column) throws SQLException {
        return columns.getBytes(column);
    }

    public long number(String column) throws SQLException {
        return columns.getLong(column);
    }

    public OptionalLong ifNumber(String column) throws SQLException {
        long number = columns.getLong(column);
        return columns.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /** Returns an unsigned number of any length. */
    public BigInteger large(String column) throws SQLException {
        return new BigInteger(1, columns.getBytes(column));
    }

    public Amount amount(String column) throws SQLException {
        return Amount.ofUnsigned(columns.getLong(column));
    }

    public Optional<Amount> ifAmount(String column) throws SQLException {
        OptionalLong bits = ifNumber(column);
        return bits.isPresent() ? Optional.of(Amount.ofUnsigned(bits.getAsLong())) : Optional.empty();
    }

    /** Returns the stored value: a number, text, bytes or null. */
    public Object value(int column) throws SQLException {
        Object value = columns.getObject(column);
        return value instanceof Integer number ? (Object) number.longValue() : value;
    }

    public boolean truth(String column) throws SQLException {
        return columns.getBoolean(column);
    }

    public boolean flag(String column) throws SQLException {
        return columns.getInt(column) == 1;
    }

    public String text(String column) throws SQLException {
        return columns.getString(column);
    }

    public Optional<String> ifText(String column) throws SQLException {
        return Optional.ofNullable(columns.getString(column));
    }

    /** Returns the bytes of a column; null if the column is null. */
    public byte[] raw(String column) throws SQLException {
        return columns.getBytes(column);
    }

    public Bytes bytes(String column) throws SQLException {
        return Bytes.wrap(columns.getBytes(column));
    }

    public Optional<Bytes> ifBytes(String column) throws SQLException {
        return Optional.ofNullable(columns.getBytes(column)).map(Bytes::wrap);
    }

    public Hash256 hash(String column) throws SQLException {
        return Hash256.of(columns.getBytes(column));
    }

    public Address address(String column) throws SQLException {
        return Address.of(columns.getBytes(column));
    }

    public List<Address> addresses(String column) throws SQLException {
        return unpackAddresses(columns.getBytes(column));
    }

    /** Decodes addresses that follow each other, 32 bytes each. */
    static List<Address> unpackAddresses(byte[] packed) {
        if (packed.length % Address.LENGTH != 0) {
            throw new IllegalArgumentException(packed.length + " bytes are no whole number of addresses");
        }
        List<Address> addresses = new ArrayList<>(packed.length / Address.LENGTH);
        for (int at = 0; at < packed.length; at += Address.LENGTH) {
            addresses.add(Address.of(Arrays.copyOfRange(packed, at, at + Address.LENGTH)));
        }
        return addresses;
    }

    /** Returns the values of all columns, each followed by a space, with bytes in hexadecimal. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        try {
            for (int i = 1; i <= columns.getMetaData().getColumnCount(); i++) {
                Object value = columns.getObject(i);
                text.append(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value)
                        .append(' ');
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return text.toString();
    }
}
