package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class WorkCheckTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    /** First nonce with which the header below meets its target. */
    private static final long FOUND = 4;

    private static final Hash256 TARGET = Hash256.parse("10" + "00".repeat(31));

    private final WorkCheck work = new WorkCheck(PROFILE, Runnable::run);

    private static BlockHeader header(long nonce) {
        return new BlockHeader(
                BlockHeader.VERSION, 7, Hash256.ZERO, 1_800_000_000L, TARGET, nonce, Hash256.ZERO, Hash256.ZERO);
    }

    @Test
    void a_header_passes_exactly_when_its_hash_is_below_its_target() {
        BlockHeader good = header(FOUND);
        BlockHeader bad = header(FOUND - 1);

        assertThat(Await.result(work.passes(good, good.id()))).isTrue();
        assertThat(Await.result(work.passes(bad, bad.id()))).isFalse();
    }

    @Test
    void a_hash_that_could_not_be_computed_is_computed_again() {
        AtomicInteger tries = new AtomicInteger();
        WorkCheck shortOfMemory = new WorkCheck(
                header -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("no memory");
                    }
                    return true;
                },
                Runnable::run);
        BlockHeader header = header(FOUND);

        assertThat(shortOfMemory.passes(header, header.id())).failsWithin(Duration.ofSeconds(10));
        assertThat(Await.result(shortOfMemory.passes(header, header.id()))).isTrue();
    }
}
