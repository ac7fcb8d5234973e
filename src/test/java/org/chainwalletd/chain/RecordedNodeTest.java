package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;
import static org.chainwalletd.chain.VectorTransactions.hash;
import static org.chainwalletd.chain.VectorTransactions.verifies;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.junit.jupiter.api.Test;

/** Recorded answers of a real node of the development network, decoded by this package. */
class RecordedNodeTest {
    private static final Hash256 GENESIS =
            Hash256.parse("c2ce5a163dfaf361ce45aef2a63846213936c98227615c015f8888a4bc104afb");

    private static List<JsonNode> exchanges(String method) throws Exception {
        try (InputStream in = RecordedNodeTest.class.getResourceAsStream("/fixtures/node-rpc.json")) {
            JsonNode all = new ObjectMapper().readTree(in).required("exchanges");
            List<JsonNode> wanted = StreamSupport.stream(all.spliterator(), false)
                    .filter(exchange -> method.equals(exchange.path("method").asText()))
                    .toList();
            assertThat(wanted).isNotEmpty();
            return wanted;
        }
    }

    /** Returns the bytes of every transaction that the node accepted or returned, by id. */
    private static Map<Hash256, byte[]> transactions() throws Exception {
        Map<Hash256, byte[]> transactions = new TreeMap<>();
        List<JsonNode> exchanges = new ArrayList<>(exchanges("send_raw_transaction"));
        exchanges.addAll(exchanges("get_transaction"));
        for (JsonNode exchange : exchanges) {
            JsonNode result = exchange.required("answer").path("result");
            if (result.has("tx_id")) {
                String hex = result.has("tx_hex")
                        ? result.required("tx_hex").textValue()
                        : exchange.required("params").required("tx_hex").textValue();
                transactions.put(
                        Hash256.parse(result.required("tx_id").textValue()),
                        HexFormat.of().parseHex(hex));
            }
        }
        assertThat(transactions).hasSizeGreaterThanOrEqualTo(4);
        return transactions;
    }

    @Test
    void transactions_have_the_ids_that_the_node_gave_them() throws Exception {
        transactions().forEach((id, bytes) -> {
            Transaction tx = TransactionCodec.decode(bytes);
            assertThat(TransactionCodec.txId(CHAIN, tx)).isEqualTo(id);
            assertThat(TransactionCodec.encode(tx)).isEqualTo(bytes);
        });
    }

    @Test
    void every_accepted_signature_covers_our_signing_message() throws Exception {
        Map<Hash256, byte[]> transactions = transactions();
        int plain = 0;
        int htlc = 0;
        for (byte[] bytes : transactions.values()) {
            Transaction tx = TransactionCodec.decode(bytes);
            byte[] message = TransactionCodec.signingMessage(CHAIN, GENESIS, tx);
            for (int i = 0; i < tx.inputs().size(); i++) {
                Witness witness = tx.witnesses().get(i);
                var spend = HtlcWitness.classify(witness);
                if (spend.isEmpty()) {
                    assertThat(verifies(
                                    witness.data().slice(0, 32),
                                    message,
                                    witness.data().slice(32, 96)))
                            .isTrue();
                    plain++;
                    continue;
                }
                byte[] spent = transactions.get(tx.inputs().get(i).txId());
                if (spent == null) {
                    continue;
                }
                HtlcParams params = HtlcScript.recognise(TransactionCodec.decode(spent)
                                .outputs()
                                .get((int) tx.inputs().get(i).index())
                                .script())
                        .orElseThrow();
                HtlcSpend.Claim claim = (HtlcSpend.Claim) spend.get();
                assertThat(HtlcWitness.hashLockOf(claim.preimage().toArray())).isEqualTo(params.hashLock());
                assertThat(verifies(
                                params.receiver().toArray(),
                                message,
                                claim.signature().toArray()))
                        .isTrue();
                htlc++;
            }
        }
        assertThat(plain).isPositive();
        assertThat(htlc).isPositive();
    }

    @Test
    void blocks_have_the_hashes_that_the_node_gave_them() throws Exception {
        int blocks = 0;
        for (JsonNode exchange : exchanges("get_block")) {
            JsonNode block = exchange.required("answer").path("result");
            if (block.isObject()) {
                BlockHeader header = new BlockHeader(
                        BlockHeader.VERSION,
                        block.required("height").longValue(),
                        hash(block, "prev_block_id"),
                        block.required("timestamp").longValue(),
                        hash(block, "difficulty_target"),
                        block.required("nonce").longValue(),
                        hash(block, "tx_root"),
                        hash(block, "state_root"));
                assertThat(header.id()).isEqualTo(hash(block, "hash"));
                blocks++;
            }
        }
        assertThat(blocks).isGreaterThanOrEqualTo(2);
    }

    @Test
    void malformed_transactions_are_refused_in_the_words_of_the_node() throws Exception {
        int refused = 0;
        for (JsonNode exchange : exchanges("send_raw_transaction")) {
            String message =
                    exchange.required("answer").path("error").path("message").asText();
            if (message.startsWith("Failed to deserialize") || message.startsWith("Trailing bytes")) {
                byte[] bytes = HexFormat.of()
                        .parseHex(exchange.required("params").required("tx_hex").textValue());
                assertThat(refusal(bytes)).isEqualTo(message);
                refused++;
            }
        }
        assertThat(refused).isGreaterThanOrEqualTo(8);
    }

    private static String refusal(byte[] bytes) {
        try {
            TransactionCodec.decode(bytes);
            return "accepted";
        } catch (DecodeException e) {
            return switch (e.kind()) {
                case UNEXPECTED_EOF -> "Failed to deserialize transaction: UnexpectedEof";
                case INVALID_DATA -> "Failed to deserialize transaction: InvalidData(\"" + e.detail() + "\")";
                case TRAILING_BYTES ->
                    "Trailing bytes after transaction: consumed " + e.position() + " of " + e.total();
            };
        }
    }
}
