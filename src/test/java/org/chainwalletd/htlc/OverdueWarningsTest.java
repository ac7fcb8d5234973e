package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class OverdueWarningsTest {
    private static final Party OURS = new Party(0x21);

    @AutoClose
    private final LogCapture log = LogCapture.of(OverdueWarnings.class);

    private final OverdueWarnings warnings = new OverdueWarnings(2);

    private static Outpoint outpoint(int number) {
        return new Outpoint(Hash256.sha256(new byte[] {(byte) number}), 0);
    }

    private static HtlcRow lock(int number, long amount) {
        return new HtlcRow(
                outpoint(number),
                new HtlcParams(OURS.key, OURS.key, Hash256.ZERO, 7),
                Amount.of(amount),
                HtlcTable.SENDER,
                OptionalLong.of(5),
                Optional.empty(),
                Optional.empty(),
                false,
                List.of(),
                false,
                false);
    }

    /** Returns the warnings of a round that finds these locks. */
    private List<String> round(HtlcRow... locks) {
        log.clear();
        List.of(locks).forEach(warnings::add);
        warnings.endRound();
        return log.messages();
    }

    private static String single(int number, long amount) {
        return "the lock " + outpoint(number) + " of " + amount
                + " base units is past its timeout 7 and nobody has claimed it: htlc_reclaim takes it back";
    }

    private static String sum(int more, int number, long amount) {
        return more + " more locks are past their timeout and nobody has claimed them; the largest is "
                + outpoint(number) + " of " + amount + " base units: htlc_list shows them";
    }

    @Test
    void locks_above_the_maximum_are_reported_in_sum_whenever_another_one_is_the_largest() {
        HtlcRow[] first = {lock(1, 300), lock(2, 300), lock(3, 300), lock(4, 500), lock(5, 300)};
        assertThat(round(first)).containsExactly(single(1, 300), single(2, 300), sum(3, 4, 500));
        assertThat(round(first)).isEmpty();
        assertThat(round(lock(1, 300), lock(2, 300), lock(4, 500), lock(6, 90_000)))
                .containsExactly(sum(2, 6, 90_000));
    }

    @Test
    void a_lock_that_is_settled_makes_room_for_another_one() {
        assertThat(round(lock(1, 300), lock(2, 300))).hasSize(2);
        assertThat(round(lock(2, 300))).isEmpty();
        assertThat(round(lock(2, 300), lock(3, 300))).containsExactly(single(3, 300));
    }
}
