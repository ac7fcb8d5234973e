package org.chainwalletd.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.time.Duration;
import java.util.Arrays;

/**
 * Whatever a peer sends, the reading of it ends with an answer or a refusal, and the budget gets everything back. A normal build replays
 * the corpus under {@code HttpAnswerFuzzTestInputs}.
 */
class HttpAnswerFuzzTest {
    /** Whole HTTP answers; the pieces in which they arrive change nothing. */
    @FuzzTest(maxDuration = "5m")
    void answers(byte[] wire) {
        int cut = wire.length == 0 ? 0 : Byte.toUnsignedInt(wire[0]) % wire.length;
        String whole = read(wire);
        String inTwo = read(Arrays.copyOf(wire, cut), Arrays.copyOfRange(wire, cut, wire.length));
        assertThat(inTwo).isEqualTo(whole);
    }

    private static String read(byte[]... pieces) {
        ByteBudget budget = ByteBudget.of(1 << 18);
        WholeBody body = new WholeBody(new ExchangeLimits(1 << 16, Duration.ofSeconds(1), budget));
        HttpAnswerReader reader = new HttpAnswerReader(body);
        try {
            for (byte[] piece : pieces) {
                if (reader.accept(piece, piece.length)) {
                    break;
                }
            }
            return reader.end() ? text(body) : "incomplete";
        } catch (HttpAnswerReader.MalformedException e) {
            return "malformed";
        } finally {
            body.drop();
            assertThat(budget.held()).isZero();
        }
    }

    private static String text(WholeBody body) {
        try (HttpAnswer answer = body.answer()) {
            return answer.status() + Arrays.toString(answer.body());
        }
    }
}
