package org.chainwalletd.chain;

import java.util.Objects;
import java.util.Optional;

/**
 * Output of a transaction (chain protocol, section 4.2).
 *
 * @param script the locking script; if exactly 32 bytes, an address
 * @param datum inline datum, at most 4,096 bytes, or null when absent (an empty datum is not an absent one)
 * @param datumHash SHA-256 of a datum, or null when absent
 */
public record TxOutput(Amount value, Bytes script, Bytes datum, Hash256 datumHash) {
    public TxOutput {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(script, "script");
    }

    public static TxOutput toAddress(Address address, Amount value) {
        return new TxOutput(value, Bytes.wrap(address.toArray()), null, null);
    }

    public static TxOutput toScript(Bytes script, Amount value) {
        return new TxOutput(value, script, null, null);
    }

    public TxOutput withDatum(Bytes newDatum) {
        return new TxOutput(value, script, newDatum, datumHash);
    }

    /** Returns this output with the plain SHA-256 of a datum, in addition to or instead of the datum itself. */
    public TxOutput withDatumHash(Hash256 newDatumHash) {
        return new TxOutput(value, script, datum, newDatumHash);
    }

    /** Returns false only when both datum fields are present and differ. */
    public boolean datumMatchesHash() {
        return datum == null || datumHash == null || datumHash.equals(Hash256.sha256(datum.unsafe()));
    }

    /** Returns the length of the serialised output in bytes: 44 for a plain one, 397 for an HTLC. */
    public int encodedLength() {
        return 12 + script.length() + (datum == null ? 0 : 2 + datum.length()) + (datumHash == null ? 0 : 32);
    }

    public boolean isPlain() {
        return script.length() == Address.LENGTH;
    }

    /** Returns the address of a plain output; empty for a script output. */
    public Optional<Address> address() {
        return isPlain() ? Optional.of(Address.of(script.unsafe())) : Optional.empty();
    }
}
