package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class DeletionGuardTest {
    private static final KeyEntry ENTRY =
            new KeyEntry(Address.of(new byte[32]), Optional.empty(), OptionalLong.empty(), Optional.empty(), true);

    private static DeletionGuard saying(String objection) {
        return entry -> CompletableFuture.completedFuture(Optional.ofNullable(objection));
    }

    private static CompletableFuture<Optional<String>> asked(DeletionGuard... guards) {
        return DeletionGuard.all(List.of(guards), Runnable::run)
                .objection(ENTRY)
                .toCompletableFuture();
    }

    @Test
    void a_key_goes_when_nobody_objects() {
        assertThat(Await.result(asked())).isEmpty();
        assertThat(Await.result(asked(saying(null), saying(null)))).isEmpty();
    }

    @Test
    void the_first_objection_is_reported() {
        assertThat(Await.result(asked(saying(null), saying("b"), saying("c")))).contains("b");
        assertThat(Await.result(asked(saying("a"), saying(null)))).contains("a");
    }

    @Test
    void all_are_asked_before_the_first_has_answered() {
        CompletableFuture<Optional<String>> slow = new CompletableFuture<>();
        List<KeyEntry> seen = new ArrayList<>();
        CompletableFuture<Optional<String>> answer = asked(entry -> slow, entry -> {
            seen.add(entry);
            return CompletableFuture.completedFuture(Optional.of("later"));
        });
        assertThat(seen).containsExactly(ENTRY);
        assertThat(answer).isNotDone();
        slow.complete(Optional.empty());
        assertThat(Await.result(answer)).contains("later");
    }

    @Test
    void one_that_cannot_tell_keeps_the_key() {
        DeletionGuard failing = entry -> CompletableFuture.failedFuture(new IllegalStateException("no node"));
        DeletionGuard throwing = entry -> {
            throw new IllegalStateException("no service");
        };
        assertThat(asked(failing, saying(null))).isCompletedExceptionally();
        assertThat(asked(saying(null), throwing)).isCompletedExceptionally();
    }
}
