package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.node.AnswerJson.ResultReader;

/**
 * Decoding any answer of a node must end with a value, a refusal or "no answer", never with another exception. A normal build replays the corpus
 * under {@code AnswerFuzzTestInputs}.
 */
class AnswerFuzzTest {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final Address ADDRESS =
            Address.parse("47b9fce311f27e0a92693cc97ca24c9ddecc698aaf8741244b440a327779ab58");
    private static final Hash256 ID = Hash256.parse("9b7cd4fa19cc7332bc323f473cb6c09d71a00db8490598a7a243aad1a670f8ab");
    static final List<ResultReader<?>> READERS = List.of(
            Answers::tip,
            Answers.INFO,
            AddressAnswers.balance(ADDRESS),
            AddressAnswers.balances(List.of(ADDRESS)),
            AddressAnswers.addressUtxos(ADDRESS),
            AddressAnswers.addressUtxos(List.of(ADDRESS)),
            AddressAnswers.scriptUtxos(Bytes.parse("29")),
            AddressAnswers.addressMempool(ADDRESS),
            Answers.blockAt(49),
            Answers.block(ID),
            Answers.transaction(ID),
            Answers::spentBy,
            Answers::broadcast);

    /** Fuzzes bodies as received over HTTP. */
    @FuzzTest(maxDuration = "5m")
    void bodies(byte[] body) {
        HttpAnswer answer = new HttpAnswer(200, body, ByteBudget.of(0).share());
        for (ResultReader<?> reader : READERS) {
            check(body, AnswerDecoder.decode(answer, 5, "node", "a_method", reader));
        }
    }

    /** Checks a decoded value against another JSON parser: no part of it may be invented. */
    static void check(byte[] body, AnswerDecoder.Attempt<?> outcome) {
        JsonNode found = parsed(body);
        boolean isOurs = found.path("jsonrpc").asText().equals("2.0")
                && found.path("id").isIntegralNumber()
                && found.path("id").bigIntegerValue().equals(BigInteger.valueOf(5));
        if (outcome instanceof AnswerDecoder.Attempt.Result<?> result) {
            assertThat(result.value()).isNotNull();
            assertThat(isOurs && found.hasNonNull("result") && !found.hasNonNull("error"))
                    .as("a result was made of %s", found)
                    .isTrue();
        } else if (outcome instanceof AnswerDecoder.Attempt.Refused<?> refused
                && refused.failure() instanceof NodeException.Rejected rejected) {
            assertThat((isOurs || found.path("id").isNull())
                            && found.path("error").isObject())
                    .as("a refusal was made of %s", found)
                    .isTrue();
            assertThat(found.at("/error/code").bigIntegerValue()).isEqualTo(BigInteger.valueOf(rejected.code()));
        } else if (outcome instanceof AnswerDecoder.Attempt.NoAnswer<?> none) {
            assertThat(none.mayHaveArrived())
                    .as("a call whose answer is damaged")
                    .isTrue();
        }
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }
}
