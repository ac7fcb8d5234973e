package org.chainwalletd.chain;

import static org.chainwalletd.testkit.Vectors.bytes;
import static org.chainwalletd.testkit.Vectors.integer;
import static org.chainwalletd.testkit.Vectors.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** Converts the transaction rows of the golden vectors to values. */
final class VectorTransactions {
    static final ChainProfile CHAIN = ChainProfile.of("chain");

    private VectorTransactions() {}

    /** Returns the transaction described by the members {@code inputs} and {@code outputs} of a row. */
    static Transaction build(JsonNode row) {
        List<Outpoint> inputs = new ArrayList<>();
        List<Witness> witnesses = new ArrayList<>();
        for (JsonNode input : row.required("inputs")) {
            inputs.add(new Outpoint(
                    hash(input, "prev_tx_id"), integer(input, "output_index").longValueExact()));
            witnesses.add(new Witness(bytesOf(input, "witness"), bytesOf(input, "redeemer")));
        }
        List<TxOutput> outputs = new ArrayList<>();
        for (JsonNode output : row.required("outputs")) {
            outputs.add(new TxOutput(
                    Amount.of(integer(output, "value")),
                    bytesOf(output, "script"),
                    bytesOf(output, "datum"),
                    hash(output, "datum_hash")));
        }
        return new Transaction(inputs, outputs, witnesses);
    }

    static Bytes bytesOf(JsonNode row, String field) {
        byte[] value = bytes(row, field);
        return value == null ? null : Bytes.of(value);
    }

    static Hash256 hash(JsonNode row, String field) {
        String hex = text(row, field);
        return hex == null ? null : Hash256.parse(hex);
    }

    /** Verifies with another library than the tested one. */
    static boolean verifies(byte[] key, byte[] message, byte[] signature) {
        return Ed25519.verify(signature, 0, key, 0, message, 0, message.length);
    }
}
