package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every answer recorded from a running node (fixtures/node-rpc.json) must be accepted. */
class RecordedAnswersTest {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    private interface ReaderOf {
        ResultReader<?> reader(JsonNode params);
    }

    private static final Map<String, ReaderOf> READERS = Map.ofEntries(
            Map.entry("get_block_height", params -> Answers::tip),
            Map.entry("get_node_info", params -> Answers.INFO),
            Map.entry("get_balance", params -> AddressAnswers.balance(address(params))),
            Map.entry("get_balances", params -> AddressAnswers.balances(addresses(params))),
            Map.entry("get_address_utxos", params -> AddressAnswers.addressUtxos(address(params))),
            Map.entry("get_address_utxos_batch", params -> AddressAnswers.addressUtxos(addresses(params))),
            Map.entry(
                    "get_script_utxos", params -> AddressAnswers.scriptUtxos(Bytes.parse(text(params, "script_hex")))),
            Map.entry("get_address_mempool", params -> AddressAnswers.addressMempool(address(params))),
            Map.entry(
                    "get_block",
                    params -> params.has("hash")
                            ? Answers.block(Hash256.parse(text(params, "hash")))
                            : Answers.blockAt(
                                    params.get("height").bigIntegerValue().longValue())),
            Map.entry("get_transaction", params -> Answers.transaction(Hash256.parse(text(params, "hash")))),
            Map.entry("get_output_spent_by", params -> Answers::spentBy),
            Map.entry("send_raw_transaction", params -> Answers::broadcast));

    @TestFactory
    Stream<DynamicTest> each_result_is_read_by_its_typed_call() throws IOException {
        return exchanges().stream()
                .filter(exchange ->
                        exchange.at("/answer").has("result") && READERS.containsKey(text(exchange, "method")))
                .map(exchange -> DynamicTest.dynamicTest(text(exchange, "name"), () -> {
                    ResultReader<?> reader =
                            READERS.get(text(exchange, "method")).reader(exchange.get("params"));
                    assertThat(decode(exchange, reader)).isInstanceOf(AnswerDecoder.Attempt.Result.class);
                }));
    }

    @TestFactory
    Stream<DynamicTest> each_error_keeps_its_code_and_text() throws IOException {
        return exchanges().stream()
                .filter(exchange -> exchange.at("/answer").has("error"))
                .map(exchange -> DynamicTest.dynamicTest(text(exchange, "name"), () -> {
                    AnswerDecoder.Attempt<?> outcome = decode(exchange, Answers::tip);
                    assertThat(outcome).isInstanceOfSatisfying(AnswerDecoder.Attempt.Refused.class, refused -> {
                        NodeException.Rejected rejected = (NodeException.Rejected) refused.failure();
                        assertThat(rejected.code())
                                .isEqualTo(exchange.at("/answer/error/code").intValue());
                        assertThat(rejected.text())
                                .isEqualTo(exchange.at("/answer/error/message").textValue());
                    });
                }));
    }

    @Test
    void dropped_duplicates_of_a_batch_are_put_back() throws IOException {
        JsonNode exchange = exchanges().stream()
                .filter(candidate -> text(candidate, "name").equals("get_balances drops duplicates"))
                .findFirst()
                .orElseThrow();
        List<Address> asked = addresses(exchange.get("params"));

        Object balances = ((AnswerDecoder.Attempt.Result<?>) decode(exchange, AddressAnswers.balances(asked))).value();

        assertThat(balances)
                .isEqualTo(asked.stream().map(one -> Amount.of(18999412)).toList());
    }

    private static AnswerDecoder.Attempt<?> decode(JsonNode exchange, ResultReader<?> reader) {
        String answer = exchange.get("answer").toString();
        String body = "{\"jsonrpc\":\"2.0\"," + answer.substring(1, answer.length() - 1) + ",\"id\":5}";
        return AnswerDecoder.decode(
                new HttpAnswer(
                        200,
                        body.getBytes(StandardCharsets.UTF_8),
                        ByteBudget.of(0).share()),
                5,
                "node",
                text(exchange, "method"),
                reader);
    }

    private static List<JsonNode> exchanges() throws IOException {
        try (InputStream in = RecordedAnswersTest.class.getResourceAsStream("/fixtures/node-rpc.json")) {
            List<JsonNode> exchanges = new ArrayList<>();
            JSON.readTree(in).required("exchanges").forEach(exchanges::add);
            return exchanges;
        }
    }

    private static String text(JsonNode node, String member) {
        return node.required(member).textValue();
    }

    private static Address address(JsonNode params) {
        return Address.parse(params.isArray() ? params.get(0).textValue() : text(params, "address"));
    }

    private static List<Address> addresses(JsonNode params) {
        return StreamSupport.stream(params.required("addresses").spliterator(), false)
                .map(one -> Address.parse(one.textValue()))
                .toList();
    }
}
