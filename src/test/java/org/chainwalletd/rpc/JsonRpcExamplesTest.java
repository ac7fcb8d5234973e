package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.wire.RawJson;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class JsonRpcExamplesTest {
    record Operands(int minuend, int subtrahend) {}

    private final RpcDispatcher dispatcher = TestMethods.dispatcher(
            CallObserver.NONE,
            TestMethods.method(
                    "subtract",
                    Scope.READ,
                    Operands.class,
                    Integer.class,
                    (given, context) -> CompletableFuture.completedFuture(given.minuend() - given.subtrahend())),
            TestMethods.method(
                    "get_data",
                    Scope.READ,
                    NoParams.class,
                    RawJson.class,
                    (none, context) -> CompletableFuture.completedFuture(new RawJson("[\"hello\",5]"))));

    @TestFactory
    List<DynamicTest> the_examples_of_the_specification_are_answered_as_written() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        String request = null;
        for (String line : examples()) {
            if (line.startsWith("--> ")) {
                request = line.substring(4);
            } else if (line.startsWith("<-- ")) {
                String asked = request;
                tests.add(DynamicTest.dynamicTest(asked, () -> answers(asked, line.substring(4))));
            }
        }
        assertThat(tests).hasSize(14);
        return tests;
    }

    private void answers(String request, String expected) throws IOException {
        RpcAnswer answer = TestMethods.answer(dispatcher, Optional.of(Scope.READ), request.getBytes(UTF_8));
        String[] parts = expected.split(" ", 2);
        assertThat(answer.status()).isEqualTo(Integer.parseInt(parts[0]));
        if (parts.length == 1) {
            assertThat(answer.body()).isEmpty();
        } else {
            ObjectMapper mapper = new ObjectMapper();
            assertThat(mapper.readTree(answer.body())).isEqualTo(mapper.readTree(parts[1]));
        }
    }

    private static List<String> examples() throws IOException {
        try (InputStream file = JsonRpcExamplesTest.class.getResourceAsStream("/json-rpc/examples.txt")) {
            return new String(file.readAllBytes(), UTF_8).lines().toList();
        }
    }
}
