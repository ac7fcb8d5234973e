package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.data.Offset;
import org.chainwalletd.account.endpoints.AccountChain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapSharesTest {
    private static final long MIB = 1 << 20;
    /** Buffers for the list of ids of the largest block, the old one and the larger one, as background work reads it. */
    private static final long LARGEST_BLOCK = 11 * MIB;

    private static final Pattern HEAP_OF_LAUNCHER =
            Pattern.compile("megabytes=\\$\\(\\((\\d+) \\+ (\\d+) \\* cores\\)\\)");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 16, 64, 128})
    void the_shares_and_the_computations_leave_room_in_the_heap_that_the_launcher_gives(int cores) throws IOException {
        HeapShares shares = new HeapShares(heapOf(cores), cores);

        long rest = Math.max(32 * MIB, Math.min(128 * MIB, shares.heap() / 17));
        assertThat(shares.peers() + shares.tls() + cores * 64 * MIB + rest).isLessThanOrEqualTo(shares.heap());
        assertThat(shares.argon2()).isGreaterThanOrEqualTo(cores);
    }

    @Test
    void two_cores_leave_a_third_of_the_heap_to_tls_and_three_eighths_to_the_bytes_of_peers() throws IOException {
        HeapShares shares = new HeapShares(heapOf(2), 2);

        assertThat(shares.tls()).isCloseTo(shares.heap() / 3, Offset.offset(MIB));
        assertThat(shares.peers()).isCloseTo(shares.heap() * 3 / 8, Offset.offset(MIB));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8, 16, 64})
    void clients_leave_a_third_of_the_bytes_of_peers_to_nodes(int cores) throws IOException {
        HeapShares shares = new HeapShares(heapOf(cores), cores);

        assertThat(shares.peers() - shares.peersOfOneKind()).isGreaterThanOrEqualTo(shares.peers() / 3);
    }

    @Test
    void two_cores_leave_a_quarter_of_the_heap_to_clients() throws IOException {
        HeapShares shares = new HeapShares(heapOf(2), 2);

        assertThat(shares.peersOfOneKind()).isCloseTo(shares.heap() / 4, Offset.offset(MIB));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 16, 64})
    void clients_leave_an_answer_with_events_to_the_account_chain_in_the_least_heap_for_swaps(int cores) {
        HeapShares shares = new HeapShares(AccountChain.LEAST_HEAP, cores);

        assertThat(shares.peers() - shares.peersOfOneKind())
                .isGreaterThanOrEqualTo(AccountChain.LEAST_HEAP / AccountChain.HEAP_SHARE);
        assertThat(shares.peersOfOneKind() / 2).isGreaterThanOrEqualTo(LARGEST_BLOCK);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void in_a_small_heap_a_rescan_can_still_read_the_largest_block(int cores) {
        HeapShares shares = new HeapShares(256 * MIB * 29 / 30, cores);

        assertThat(shares.peersOfOneKind() / 2).isGreaterThanOrEqualTo(LARGEST_BLOCK);
    }

    @Test
    void a_heap_too_small_for_the_computations_keeps_a_least_part_for_connections() {
        HeapShares shares = new HeapShares(300 * MIB, 8);

        assertThat(shares.peers() + shares.tls()).isCloseTo(116 * MIB, Offset.offset(MIB));
        assertThat(shares.argon2()).isEqualTo(2);
    }

    /** Heap as the JVM reports it: without one survivor space, a thirtieth of the launcher's -Xmx. */
    private static long heapOf(int cores) throws IOException {
        Matcher formula = HEAP_OF_LAUNCHER.matcher(Files.readString(Path.of("src/main/launcher/chain-walletd")));
        assertThat(formula.find()).isTrue();
        long megabytes = Long.parseLong(formula.group(1)) + Long.parseLong(formula.group(2)) * cores;
        return Math.max(512, megabytes) * MIB * 29 / 30;
    }
}
