package org.chainwalletd.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.junit.jupiter.api.Test;

class HtlcMergeTest {
    private static final PublicKey KEY = PublicKey.of(new byte[32]);

    private record Known(Outpoint lock, String role) {}

    private static Outpoint lock(int number) {
        return new Outpoint(Hash256.parse("0" + number + "00".repeat(31)), 0);
    }

    private static IndexedHtlc seen(int number) {
        return new IndexedHtlc(
                lock(number),
                new HtlcParams(KEY, KEY, Hash256.parse("aa".repeat(32)), 9),
                Amount.of(1),
                5L,
                IndexedHtlc.State.CLAIMED,
                null,
                null,
                5);
    }

    private static List<Known> merge(List<Known> own, List<IndexedHtlc> indexed) {
        return IndexedHtlcs.HtlcMerge.merge(
                own,
                Known::lock,
                indexed,
                htlc -> new Known(htlc.outpoint(), "observer"),
                Comparator.comparing(Known::lock));
    }

    @Test
    void what_the_daemon_knows_itself_wins_and_the_rest_is_filled_in_in_order() {
        List<Known> own = List.of(new Known(lock(3), "sender"), new Known(lock(1), "both"));

        assertThat(merge(own, List.of(seen(2), seen(3), seen(4), seen(2))))
                .containsExactly(
                        new Known(lock(1), "both"),
                        new Known(lock(2), "observer"),
                        new Known(lock(3), "sender"),
                        new Known(lock(4), "observer"));
    }

    @Test
    void an_empty_answer_of_an_indexer_takes_nothing_away() {
        List<Known> own = List.of(new Known(lock(1), "receiver"));

        assertThat(merge(own, List.of())).isEqualTo(own);
    }
}
