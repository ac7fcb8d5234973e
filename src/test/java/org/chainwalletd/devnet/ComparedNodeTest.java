package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.ChainHarness.A;
import static org.chainwalletd.devnet.ChainHarness.B;
import static org.chainwalletd.devnet.ChainHarness.contract;
import static org.chainwalletd.devnet.ChainHarness.to;
import static org.chainwalletd.devnet.ChainHarness.unsigned;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of chain protocol, section 17: what a comparison with a real node, request by request, found. */
class ComparedNodeTest {
    private static final String INVALID = "Transaction validation failed: ";
    private static final String PARSE_ERROR =
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null}";

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withPrompt(false));

    private final ChainHarness on = new ChainHarness(chain);

    @Test
    void a_payment_is_still_pending_after_the_next_tip_and_in_the_block_after_it() {
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000));
        assertThat(on.send(tx)).isEqualTo("accepted");
        assertThat(heightOf(tx)).isNull();
        long height = chain.mine(1);
        assertThat(heightOf(tx)).isNull();
        chain.mine(1);
        assertThat(heightOf(tx)).isEqualTo(height + 1);
    }

    @Test
    void a_prompt_node_takes_it_into_the_next_block() {
        on.result("devnet_set", "{'prompt':true}");
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000));
        assertThat(on.send(tx)).isEqualTo("accepted");
        assertThat(heightOf(tx)).isNull();
        assertThat(chain.mine(1)).isEqualTo(heightOf(tx));
    }

    @Test
    void what_a_reorganisation_puts_back_is_in_the_block_after_it() {
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000));
        chain.submit(tx);
        chain.mine(2);
        chain.node().reorg(1);
        assertThat(heightOf(tx)).isNull();
        assertThat(chain.mine(1)).isEqualTo(heightOf(tx));
    }

    private Long heightOf(Transaction tx) {
        var found = on.result("get_transaction", "{'hash':'" + TransactionCodec.txId(ChainHarness.CHAIN, tx) + "'}");
        assertThat(found.get("in_mempool").booleanValue()).isEqualTo(!found.has("block_height"));
        return found.has("block_height") ? found.get("block_height").longValue() : null;
    }

    @Test
    void a_block_that_overtakes_a_check_can_be_asked_for() {
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000));
        on.result("devnet_set", "{'tip_changes':2}");
        String hex = HexFormat.of().formatHex(TransactionCodec.encode(tx));
        for (int i = 0; i < 2; i++) {
            assertThat(on.error("send_raw_transaction", "{'tx_hex':'" + hex + "'}"))
                    .isEqualTo("-32603 Tip changed during validation, try again");
        }
        assertThat(on.send(tx)).isEqualTo("accepted");
    }

    @Test
    void steps_are_summed_over_all_inputs_before_any_signature_is_checked() {
        List<Outpoint> coins = on.manySmall(7);
        chain.mine(2);
        Transaction tx = unsigned(coins.subList(0, 1_625), to(B, 200_000));
        Witness bad = Witness.plain(A.key, new byte[64]);
        assertThat(on.send(
                        tx.withWitnesses(Stream.generate(() -> bad).limit(1_625).toList())))
                .isEqualTo(
                        INVALID + "ScriptEvalFailed { input_index: 1624, reason: \"total script cost 20033000 exceeds"
                                + " per-transaction budget 20000000\" }");
    }

    @Test
    void a_contract_with_the_hash_of_too_long_a_datum_can_never_be_spent() {
        byte[] preimage = {1};
        byte[] datum = new byte[4_097];
        Outpoint hashed = on.lock(contract(preimage, 1_000), null, Hash256.sha256(datum));
        chain.mine(1);
        Transaction claim = on.claim(hashed, B, preimage, 99_000);
        for (byte[] redeemer : List.of(datum, new byte[5_000])) {
            Witness witness = new Witness(claim.witnesses().get(0).data(), Bytes.wrap(redeemer));
            assertThat(on.send(claim.withWitnesses(List.of(witness))))
                    .isEqualTo(INVALID + "ScriptEvalFailed { input_index: 0, reason: \"datum resolution failed:"
                            + " hash-committed datum exceeds MAX_DATUM_SIZE (" + redeemer.length + " > 4096)\" }");
        }
    }

    @Test
    void a_script_of_32_bytes_that_is_a_program_is_ambiguous() {
        Bytes constant = Bytes.parse("0100000000000000" + "0e13000000" + "050e000000" + "ab".repeat(14));
        Outpoint coin = on.fund(A, 10_000);
        assertThat(on.send(on.signed(A, List.of(coin), to(B, 500), TxOutput.toScript(constant, Amount.of(500)))))
                .isEqualTo(INVALID + "AmbiguousScript(1)");
    }

    @Test
    void sizes_are_judged_before_missing_bytes() {
        String datumOf4097 =
                "01000100" + "11".repeat(36) + "c800000000000000" + "2000" + "22".repeat(32) + "01" + "0110";
        assertThat(on.sendHex(datumOf4097))
                .isEqualTo("Failed to deserialize transaction: InvalidData(\"datum size 4097 exceeds maximum 4096\")");
        assertThat(on.sendHex(datumOf4097.substring(0, datumOf4097.length() - 2)))
                .isEqualTo("Failed to deserialize transaction: UnexpectedEof");
    }

    @Test
    void the_push_stream_tells_of_every_output_and_input_and_of_a_block_once() {
        Outpoint first = on.fund(A, 10_000);
        Outpoint second = on.fund(A, 10_000);
        try (EventStream stream = EventStream.begun(chain.uri(), "?addresses=" + A.address + "&tips=1")) {
            chain.submit(on.signed(A, List.of(first, second), to(A, 9_000), to(A, 9_000), to(A, 500)));
            chain.mine(2);
            List<String> events = Stream.generate(stream::next).limit(13).toList();
            assertThat(events.subList(0, 5)).containsOnly(changed(A));
            assertThat(events.get(5)).startsWith("event: tip");
            assertThat(events.subList(6, 12)).containsOnly(changed(A));
            assertThat(events.get(12)).startsWith("event: tip");
        }
    }

    @Test
    void a_transaction_with_more_outputs_to_one_address_than_the_buffer_holds_overflows_it() {
        Outpoint coin = on.fund(B, 10_000_000);
        try (EventStream stream = EventStream.begun(chain.uri(), "?addresses=" + A.address + "&tips=1")) {
            chain.submit(on.signed(
                    B,
                    List.of(coin),
                    Stream.generate(() -> to(A, 300)).limit(1_200).toArray(TxOutput[]::new)));
            List<String> events = Stream.generate(stream::next).limit(1_024).toList();
            assertThat(events).containsOnly(changed(A));
            chain.mine(1);
            assertThat(stream.next()).isEqualTo("event: resync\ndata: {}");
            assertThat(stream.next()).startsWith("event: tip");
        }
    }

    private static String changed(Party party) {
        return "event: script_changed\ndata: {\"script\":\"" + party.address + "\"}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"%s,,%s", "%s,", ",%s"})
    void an_empty_token_among_the_addresses_is_refused(String list) {
        String query = list.formatted(A.address, B.address);
        assertThat(NodeCall.raw(chain.uri(), "GET /sse?addresses=" + query + " HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n")
                .contains("\r\n\r\nbad query: invalid address ``: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?tips=0&addresses=%s&tips=1", "stream?addresses=%s&tips=true&tips=0"})
    void any_tips_parameter_and_any_path_that_begins_with_sse_will_do(String target) {
        try (EventStream stream = new EventStream(chain.uri(), target.formatted(A.address))) {
            assertThat(stream.head()).startsWith("HTTP/1.1 200 OK");
            stream.next();
            chain.mine(1);
            assertThat(stream.next()).startsWith("event: tip");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":1e400}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"params\":[-1e999],\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":\"\\ud800\"}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":\"\\udc00\\ud800\"}",
                "\ufeff{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":1}"
            })
    void numbers_out_of_range_half_surrogates_and_byte_order_marks_are_parse_errors_at_once(String body) {
        assertThat(NodeCall.post(chain.uri(), body)).isEqualTo(PARSE_ERROR);
    }

    @Test
    void utf_16_is_a_parse_error() {
        String body = "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":1}";
        String wide = new String(body.getBytes(StandardCharsets.UTF_16LE), StandardCharsets.ISO_8859_1);
        assertThat(NodeCall.raw(chain.uri(), "POST / HTTP/1.1\r\nContent-Length: " + wide.length() + "\r\n\r\n" + wide))
                .endsWith(PARSE_ERROR);
    }

    @Test
    void minus_zero_is_no_integer() {
        assertThat(NodeCall.post(
                        chain.uri(),
                        "{\"jsonrpc\":\"2.0\",\"method\":\"get_block\",\"params\":{\"height\":-0},\"id\":-0}"))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"Invalid params: invalid type:"
                        + " floating point `-0.0`, expected u64\"},\"id\":-0.0}");
    }

    @Test
    void a_length_with_a_plus_sign_is_accepted() {
        String body = "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":1}";
        assertThat(NodeCall.raw(
                        chain.uri(), "POST / HTTP/1.1\r\nContent-Length: +" + body.length() + "\r\n\r\n" + body))
                .startsWith("HTTP/1.1 200 OK");
    }

    @Test
    void a_head_that_fills_its_8192_bytes_without_an_end_is_refused_at_once() {
        String head = "POST / HTTP/1.1\r\nX: ";
        assertThat(NodeCall.raw(chain.uri(), head + "a".repeat(8_192 - head.length())))
                .startsWith("HTTP/1.1 400 Bad Request")
                .endsWith("\r\n\r\nBad Request");
    }
}
