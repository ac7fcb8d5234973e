package org.chainwalletd.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.time.Duration;
import java.util.Arrays;

/**
 * Parsing any bytes of a peer must end with an answer or a refusal, and all bytes must be returned to the budget. A normal build replays the corpus
 * under {@code HttpAnswerFuzzTestInputs}.
 */
class HttpAnswerFuzzTest {
    /** Fuzzes whole HTTP answers; the pieces in which they arrive must make no difference. */
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
