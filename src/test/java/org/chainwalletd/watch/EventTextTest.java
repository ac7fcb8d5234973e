package org.chainwalletd.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.chainwalletd.client.EventStream;
import org.junit.jupiter.api.Test;

class EventTextTest {
    private static final String HEX = "ab".repeat(32);

    @Test
    void events_are_reported_in_words_with_long_names_in_full_and_in_brief() {
        Board.LogEntry spend = told(
                "spend",
                "{\"tx_id\":\"" + HEX + "\",\"method\":\"transfer\",\"from\":\"" + HEX
                        + "\",\"state\":\"refused\",\"reason\":\"dust\"}");
        assertThat(spend.text()).isEqualTo("refused transfer " + HEX + " from " + HEX + ": dust");
        assertThat(spend.brief()).isEqualTo("refused transfer ababababab…abab from ababababab…abab: dust");
        assertThat(told(
                                "htlc",
                                "{\"lock_tx_id\":\"" + HEX
                                        + "\",\"output_index\":0,\"params\":{\"timeout_height\":5000},"
                                        + "\"amount\":18446744073709551615,\"state\":null,\"role\":\"both\"}")
                        .brief())
                .isEqualTo("gone ababababab…abab:0 with 18,446,744,073,709,551,615 until 5,000 as both");
    }

    @Test
    void what_is_new_or_no_json_is_told_as_it_is_and_harmless() {
        assertThat(told("swap", "{\"x\":1}").text()).isEqualTo("{\"x\":1}");
        assertThat(told("tip", "{\u001b[2J").text()).isEqualTo("{·[2J");
        assertThat(told("spend", "[]").text()).isEqualTo("   from ");
    }

    @Test
    void a_resync_tells_a_person_nothing() {
        assertThat(Watch.EventText.of(new EventStream.DaemonEvent("resync", "{}", Optional.empty()), Instant.EPOCH))
                .isEmpty();
    }

    private static Board.LogEntry told(String kind, String data) {
        return Watch.EventText.of(new EventStream.DaemonEvent(kind, data, Optional.empty()), Instant.EPOCH)
                .orElseThrow();
    }
}
