package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapSharesTest {
    private static final long MIB = 1 << 20;
    private static final Pattern HEAP_OF_LAUNCHER =
            Pattern.compile("megabytes=\\$\\(\\((\\d+) \\+ (\\d+) \\* cores\\)\\)");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 16, 64})
    void the_shares_and_the_computations_leave_room_in_the_heap_that_the_launcher_gives(int cores) throws IOException {
        HeapShares shares = new HeapShares(heapOf(cores));

        assertThat(shares.peers() + shares.tls() + shares.argon2(cores) * 64 * MIB + 32 * MIB)
                .isLessThanOrEqualTo(shares.heap());
    }

    @Test
    void two_cores_compute_at_once() throws IOException {
        assertThat(new HeapShares(heapOf(2)).argon2(2)).isEqualTo(2);
    }

    @Test
    void a_heap_too_small_for_the_shares_allows_one_computation_and_a_large_one_no_more_than_cores() {
        assertThat(new HeapShares(64 * MIB).argon2()).isZero();
        assertThat(new HeapShares(64 * MIB).argon2(8)).isEqualTo(1);
        assertThat(new HeapShares(64L << 30).argon2(8)).isEqualTo(8);
    }

    /** Heap as the JVM reports it: without one survivor space, a thirtieth of the launcher's -Xmx. */
    private static long heapOf(int cores) throws IOException {
        Matcher formula = HEAP_OF_LAUNCHER.matcher(Files.readString(Path.of("src/main/launcher/chain-walletd")));
        assertThat(formula.find()).isTrue();
        long megabytes = Long.parseLong(formula.group(1)) + Long.parseLong(formula.group(2)) * cores;
        return Math.max(512, megabytes) * MIB * 29 / 30;
    }
}
