package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

/** Recorded answers, damaged at random: the reading ends with an outcome. */
class AnswerMutationTest {
    private static final int ROUNDS = 20_000;

    @Test
    void damaged_answers_never_break_the_reader() throws IOException {
        Random random = Seeded.random("damaged_answers_never_break_the_reader");
        List<byte[]> recorded = recorded();
        for (int i = 0; i < ROUNDS; i++) {
            byte[] damaged = damage(recorded.get(random.nextInt(recorded.size())), random);
            ResultReader<?> reader = AnswerFuzzTest.READERS.get(random.nextInt(AnswerFuzzTest.READERS.size()));
            assertThat(AnswerDecoder.decode(HttpAnswer.of(200, damaged), 5, "a_method", reader))
                    .isNotNull();
        }
    }

    private static byte[] damage(byte[] answer, Random random) {
        byte[] damaged = answer.clone();
        int changes = random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        }
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(damaged, random.nextInt(damaged.length));
            case 1 ->
                new String(damaged, StandardCharsets.ISO_8859_1)
                        .replaceFirst("[0-9]+", String.valueOf(random.nextLong()))
                        .getBytes(StandardCharsets.ISO_8859_1);
            default -> damaged;
        };
    }

    private static List<byte[]> recorded() throws IOException {
        List<byte[]> answers = new ArrayList<>();
        try (InputStream in = AnswerMutationTest.class.getResourceAsStream("/fixtures/node-rpc.json")) {
            for (JsonNode exchange : new JsonMapper().readTree(in).get("exchanges")) {
                String answer = exchange.get("answer").toString();
                answers.add(("{\"jsonrpc\":\"2.0\"," + answer.substring(1, answer.length() - 1) + ",\"id\":5}")
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
        return answers;
    }
}
