package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.indexer.IndexedHtlc;
import org.junit.jupiter.api.Test;

/** States and roles are told by their names, which therefore have to be the same. */
class HtlcWordsTest {
    @Test
    void callers_have_a_word_for_every_state_and_role_of_an_htlc() {
        assertThat(names(Htlcs.State.values()))
                .isEqualTo(names(HtlcRecord.State.values()))
                .isEqualTo(names(IndexedHtlc.State.values()));
        assertThat(names(Htlcs.Role.values())).isEqualTo(names(HtlcRecord.Role.values()));
    }

    private static List<String> names(Enum<?>[] values) {
        return Arrays.stream(values).map(Enum::name).toList();
    }
}
