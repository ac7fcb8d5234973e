package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.indexer.IndexedHtlc;
import org.junit.jupiter.api.Test;

/** States that an indexer tells are known by their names, which therefore have to be the same. */
class HtlcWordsTest {
    @Test
    void callers_have_a_word_for_every_state_of_an_htlc() {
        assertThat(names(Htlcs.State.values())).isEqualTo(names(IndexedHtlc.State.values()));
    }

    private static List<String> names(Enum<?>[] values) {
        return Arrays.stream(values).map(Enum::name).toList();
    }
}
