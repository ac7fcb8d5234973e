package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.coins.VerifiedOutputs.Finding;
import org.chainwalletd.store.VerifiedOutput;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** Order of the sources, and bounds; the tests of spending cover the nodes' answers. */
class VerifiedOutputsTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final Bytes SCRIPT = Bytes.wrap(new byte[32]);

    private final List<String> asked = new ArrayList<>();

    private static Outpoint outpoint(int number) {
        return new Outpoint(Hash256.sha256(new byte[] {(byte) number, (byte) (number >> 8)}), number);
    }

    private static VerifiedOutput worth(long value) {
        return new VerifiedOutput(Amount.of(value), SCRIPT);
    }

    private OutputSource source(String name, Map<Outpoint, VerifiedOutput> knows) {
        return wanted -> {
            asked.add(name + wanted.size());
            Map<Outpoint, VerifiedOutput> found = new HashMap<>(knows);
            return CompletableFuture.completedFuture(found);
        };
    }

    private static VerifiedOutputs over(long budget, OutputSource... sources) {
        return new VerifiedOutputs(PROFILE, List.of(sources), null, Runnable::run, new SimpleMeterRegistry(), budget);
    }

    private static Map<Outpoint, Finding> find(VerifiedOutputs outputs, Outpoint... wanted) throws Exception {
        return Await.result(outputs.find(Set.of(wanted)));
    }

    @Test
    void each_source_is_asked_only_for_what_those_before_it_do_not_know() throws Exception {
        VerifiedOutputs outputs = over(
                1 << 20,
                source("first", Map.of(outpoint(1), worth(11))),
                source("second", Map.of(outpoint(1), worth(99), outpoint(2), worth(22))));

        assertThat(find(outputs, outpoint(1), outpoint(2)))
                .containsEntry(outpoint(1), new Finding.Proven(worth(11)))
                .containsEntry(outpoint(2), new Finding.Proven(worth(22)))
                .hasSize(2);
        assertThat(asked).containsExactly("first2", "second1");
    }

    @Test
    void what_was_found_once_is_remembered() throws Exception {
        VerifiedOutputs outputs = over(1 << 20, source("only", Map.of(outpoint(1), worth(11))));
        assertThat(outputs.known(outpoint(1))).isEmpty();
        find(outputs, outpoint(1));
        find(outputs, outpoint(1));

        assertThat(asked).hasSize(1);
        assertThat(outputs.known(outpoint(1))).contains(worth(11));
    }

    @Test
    void what_a_source_says_unasked_is_not_taken_up() throws Exception {
        VerifiedOutputs outputs = over(1 << 20, source("only", Map.of(outpoint(1), worth(11), outpoint(2), worth(22))));

        assertThat(find(outputs, outpoint(1))).hasSize(1);
        assertThat(outputs.known(outpoint(2))).isEmpty();
    }

    @Test
    void a_source_that_fails_knows_nothing_and_the_next_one_is_asked() throws Exception {
        VerifiedOutputs outputs = over(
                1 << 20,
                wanted -> CompletableFuture.failedFuture(new IllegalStateException("no disk")),
                source("next", Map.of(outpoint(1), worth(11))));

        assertThat(find(outputs, outpoint(1))).containsValue(new Finding.Proven(worth(11)));
    }

    @Test
    void memory_is_bounded_by_bytes_and_keeps_what_was_used_last() {
        VerifiedOutputs outputs = over(100_000);
        for (int i = 0; i < 5_000; i++) {
            outputs.remember(outpoint(i), new TxOutput(Amount.of(i), SCRIPT, null, null));
            outputs.known(outpoint(0));
        }

        long kept = IntStream.range(0, 5_000)
                .filter(i -> outputs.known(outpoint(i)).isPresent())
                .count();
        assertThat(kept).isBetween(100L, 100_000L / 320);
        assertThat(outputs.known(outpoint(0))).isPresent();
        assertThat(outputs.known(outpoint(4_999))).isPresent();
        assertThat(outputs.known(outpoint(1))).isEmpty();
    }

    @Test
    void a_script_that_alone_is_above_the_budget_is_not_kept() {
        VerifiedOutputs outputs = over(10_000);
        outputs.remember(outpoint(1), new TxOutput(Amount.of(1), Bytes.wrap(new byte[60_000]), null, null));

        assertThat(outputs.known(outpoint(1))).isEmpty();
    }
}
