package org.chainwalletd.devnet.indexer;

import com.fasterxml.jackson.databind.JsonNode;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.call.CallException;
import org.chainwalletd.devnet.call.Hex;
import org.chainwalletd.devnet.call.Params;
import org.chainwalletd.devnet.call.Params.Field;
import org.chainwalletd.devnet.call.Params.Shape;

/** Parameters, refused in an indexer's words. */
final class IndexerParams {
    private static final String NODE_WORDS = "Invalid params: ";

    private IndexerParams() {}

    static Params read(String method, JsonNode raw, Field... fields) {
        try {
            return Shape.of(method, fields).read(raw);
        } catch (CallException e) {
            throw CallException.invalid(
                    "invalid params: " + method + ": " + e.getMessage().substring(NODE_WORDS.length()));
        }
    }

    static byte[] hex(String text) {
        try {
            return Hex.parse(text);
        } catch (IllegalArgumentException e) {
            throw CallException.invalid("invalid hex: " + e.getMessage());
        }
    }

    /** All values of 32 bytes are refused as addresses are. */
    static Hash256 bytes32(String text) {
        byte[] bytes = hex(text);
        if (bytes.length != Hash256.LENGTH) {
            throw CallException.invalid(
                    "invalid address: expected 32 bytes (64 hex chars), got " + bytes.length + " bytes");
        }
        return Hash256.of(bytes);
    }

    static Address address(String text) {
        return Address.of(bytes32(text).toArray());
    }
}
