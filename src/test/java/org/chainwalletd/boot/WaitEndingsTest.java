package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WaitEndingsTest {
    private final ShutdownSequence.WaitEndings endings = new ShutdownSequence.WaitEndings();
    private final List<String> ended = new ArrayList<>();

    @Test
    void all_begin_before_one_is_waited_for() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        endings.add("the first", () -> first);
        endings.add("the second", () -> {
            first.complete(null);
            ended.add("second");
            return first;
        });

        endings.endAll(Duration.ofSeconds(20));

        assertThat(ended).containsExactly("second");
    }

    @Test
    void one_that_fails_does_not_keep_the_others_from_ending() {
        endings.add("throwing", () -> {
            throw new IllegalStateException("broken on purpose");
        });
        endings.add("failing", () -> CompletableFuture.failedFuture(new IllegalStateException("broken on purpose")));
        endings.add("never ending", CompletableFuture::new);
        endings.add("good", () -> {
            ended.add("good");
            return CompletableFuture.completedFuture(null);
        });

        endings.endAll(Duration.ofMillis(50));

        assertThat(ended).containsExactly("good");
    }
}
