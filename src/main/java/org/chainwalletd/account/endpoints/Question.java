package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.chainwalletd.evm.EvmAddress;

/**
 * A JSON-RPC call to the account chain.
 *
 * @param size limit of the answer's size
 * @param reader parses the {@code result}, which may be JSON {@code null}; throws {@link IllegalArgumentException} for a value that cannot be the
 *     answer
 */
record Question<T>(String method, ArrayNode params, Size size, Reader<T> reader) {
    static final String SEND = "eth_sendRawTransaction";

    /** Returns whether the call sends a transaction, which must not wait for other calls. */
    boolean isSend() {
        return method.equals(SEND);
    }

    /** Omits the parameters, because a claim's contain the secret. */
    @Override
    public String toString() {
        return "Question[" + method + "]";
    }

    @FunctionalInterface
    interface Reader<T> {
        T read(JsonNode result);
    }

    /** Size limits of answers. The token count is limited too, because many empty values take eight times their text length as a tree. */
    enum Size {
        SMALL(64 * 1024),
        /** A block header with its transaction ids, or one receipt. */
        HEAD(1024 * 1024),
        /** A block with whole transactions, or many events. */
        WIDE(4 * 1024 * 1024);

        private static final int BYTES_PER_TOKEN = 8;
        private static final int TREE_PER_BYTE = 8;

        private final int bytes;

        Size(int bytes) {
            this.bytes = bytes;
        }

        int bytes() {
            return bytes;
        }

        int tokens() {
            return bytes / BYTES_PER_TOKEN;
        }

        /** Returns the maximum heap for an answer, in bytes: text and tree. */
        long heap() {
            return (long) bytes * (1 + TREE_PER_BYTE);
        }
    }

    static ArrayNode noParams() {
        return JsonNodeFactory.instance.arrayNode();
    }

    static ArrayNode paramsOf(EvmAddress address, BlockRef at) {
        return noParams().add(Quantities.text(address)).add(where(at));
    }

    /** Encodes a block reference as a call's parameter (EIP-1898). */
    static JsonNode where(BlockRef at) {
        if (at instanceof BlockRef.ByHash byHash) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("blockHash", Quantities.text(byHash.hash()))
                    .put("requireCanonical", true);
        }
        return JsonNodeFactory.instance.textNode(
                at instanceof BlockRef.Tag tag ? tag.word() : Quantities.text(((BlockRef.ByNumber) at).number()));
    }
}
