package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyWorkTest {
    @TempDir
    Path wallets;

    @Test
    void a_step_that_cannot_begin_ends_the_row_with_its_failure() {
        try (KeyringFixture fixture = new KeyringFixture(wallets)) {
            KeyWork work = new KeyWork(fixture.setup(), new KeyFolder(wallets));
            List<Integer> begun = new ArrayList<>();
            CompletableFuture<Void> row = work.oneByOne(3, i -> {
                begun.add(i);
                if (i == 1) {
                    throw new RejectedExecutionException("the pool is closed");
                }
                return CompletableFuture.completedFuture(null);
            });

            assertThatThrownBy(() -> KeyringFixture.await(row)).isInstanceOf(RejectedExecutionException.class);
            assertThat(begun).containsExactly(0, 1);
        }
    }
}
