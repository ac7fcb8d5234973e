package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

/** Recorded answers, whole and randomly damaged: each value read must occur in the answer. */
class AnswerMutationTest {
    private static final int ROUNDS = 20_000;

    @Test
    void of_damaged_answers_only_what_stands_in_them_is_believed() throws IOException {
        Random random = Seeded.random("of_damaged_answers_only_what_stands_in_them_is_believed");
        Map<Class<?>, Integer> outcomes = new HashMap<>();
        List<byte[]> recorded = recorded();
        for (int i = 0; i < ROUNDS; i++) {
            byte[] whole = recorded.get(random.nextInt(recorded.size()));
            byte[] damaged = damage(whole, random);
            ResultReader<?> reader = AnswerFuzzTest.READERS.get(random.nextInt(AnswerFuzzTest.READERS.size()));
            AnswerDecoder.Attempt<?> outcome = AnswerDecoder.decode(
                    new HttpAnswer(200, damaged, ByteBudget.of(0).share()), 5, "node", "a_method", reader);
            AnswerFuzzTest.check(damaged, outcome);
            if (Arrays.equals(damaged, whole)) {
                assertThat(outcome).as("a whole answer").isNotInstanceOf(AnswerDecoder.Attempt.NoAnswer.class);
            }
            outcomes.merge(outcome.getClass(), 1, Integer::sum);
        }
        assertThat(outcomes)
                .as("answers that are whole are read, others are not")
                .containsOnlyKeys(
                        AnswerDecoder.Attempt.Result.class,
                        AnswerDecoder.Attempt.Refused.class,
                        AnswerDecoder.Attempt.NoAnswer.class)
                .allSatisfy((kind, times) -> assertThat(times).isGreaterThan(ROUNDS / 1_000));
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
