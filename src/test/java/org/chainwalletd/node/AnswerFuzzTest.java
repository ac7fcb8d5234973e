package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.net.HttpAnswer;

/**
 * Whatever a node answers, the reading of it ends with a value, a refusal or "no answer", never with another exception. A normal build
 * replays the corpus under {@code AnswerFuzzTestInputs}.
 */
class AnswerFuzzTest {
    private static final Address ADDRESS =
            Address.parse("47b9fce311f27e0a92693cc97ca24c9ddecc698aaf8741244b440a327779ab58");
    private static final Hash256 ID = Hash256.parse("9b7cd4fa19cc7332bc323f473cb6c09d71a00db8490598a7a243aad1a670f8ab");
    static final List<ResultReader<?>> READERS = List.of(
            Answers::tip,
            Answers::info,
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

    /** Bodies as they come out of HTTP. */
    @FuzzTest(maxDuration = "5m")
    void bodies(byte[] body) {
        HttpAnswer answer = HttpAnswer.of(200, body);
        for (ResultReader<?> reader : READERS) {
            assertThat(AnswerDecoder.decode(answer, 5, "a_method", reader)).isNotNull();
        }
    }
}
