package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

/** Recorded answers that do not depend on one chain's state, replayed. */
class RecordedAnswersTest {
    private static final List<String> OF_ONE_CHAIN =
            List.of("mempool", "double-spend", "UtxoNotFound", "ScriptEvalFailed", "Rate limit");

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    private static DynamicTest test(JsonNode exchange, Executable check) {
        return DynamicTest.dynamicTest(exchange.get("name").textValue(), check);
    }

    private JsonNode replayed(JsonNode exchange) {
        return NodeCall.answer(chain.uri(), exchange.get("method").textValue(), Recorded.params(exchange));
    }

    @TestFactory
    Stream<DynamicTest> refusals_are_equal() {
        return Recorded.exchanges("node-rpc.json").stream()
                .filter(exchange -> exchange.at("/answer/error/message").isTextual())
                .filter(exchange -> OF_ONE_CHAIN.stream()
                        .noneMatch(exchange.at("/answer/error/message").textValue()::contains))
                .map(exchange -> test(
                        exchange,
                        () -> assertThat(replayed(exchange).get("error")).isEqualTo(exchange.at("/answer/error"))));
    }

    @TestFactory
    Stream<DynamicTest> results_have_the_same_members_and_types() {
        return Recorded.exchanges("node-rpc.json").stream()
                .skip(30)
                .filter(exchange -> exchange.at("/answer/result").isObject())
                .map(exchange -> test(
                        exchange,
                        () -> assertThat(replayed(exchange).get("result").fieldNames())
                                .toIterable()
                                .containsExactlyElementsOf(exchange.at("/answer/result")::fieldNames)));
    }

    @TestFactory
    Stream<DynamicTest> raw_answers_are_equal_byte_for_byte() {
        return Recorded.exchanges("node-http.json").stream()
                .map(exchange -> test(exchange, () -> {
                    String recorded = exchange.get("response").textValue();
                    String answer = NodeCall.raw(
                            chain.uri(), whole(exchange.get("request").textValue()));
                    if (recorded.contains("\"result\"")) {
                        assertThat(withoutBlock(answer)).isEqualTo(withoutBlock(recorded));
                    } else {
                        assertThat(answer).isEqualTo(recorded);
                    }
                }));
    }

    private static String withoutBlock(String answer) {
        return answer.replaceFirst("Content-Length: \\d+", "")
                .replaceAll("\"block_id\":\"[0-9a-f]{64}\"", "")
                .replaceAll("\"height\":\\d+", "");
    }

    /** Long requests are recorded shortened, as {@code <beginning> ... (<n> bytes in all)}. */
    private static String whole(String request) {
        int cut = request.indexOf(" ... (");
        if (cut < 0) {
            return request;
        }
        int length = Integer.parseInt(request.substring(cut + 6, request.indexOf(" bytes in all)")));
        String end = request.contains("{\"jsonrpc\"") ? "\"}" : " HTTP/1.1\r\nHost: x\r\n\r\n";
        String start = request.substring(0, cut);
        return start + "a".repeat(length - start.length() - end.length()) + end;
    }
}
