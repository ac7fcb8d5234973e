package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes whose chains fork above the genesis block. */
class ForksTest {
    @TempDir
    Path folder;

    private Devnet first;
    private Devnet second;
    private FollowRig rig;

    @BeforeEach
    void start() throws IOException {
        first = node(1);
        second = node(2);
    }

    private static Devnet node(long seed) throws IOException {
        return Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain"))
                .withFirstBlocks(5)
                .withSeed(OptionalLong.of(seed)));
    }

    @AfterEach
    void stop() {
        rig.close();
        first.close();
        second.close();
    }

    private Hash256 followed() {
        return rig.follower().tip().orElseThrow().place().blockId();
    }

    private long disconnections() {
        return rig.events().stream()
                .filter(FollowEvent.Disconnected.class::isInstance)
                .count();
    }

    private void follow() {
        rig = new FollowRig(folder, List.of(new SeenBook()), first.uri(), second.uri());
        Await.until("something is followed", () -> rig.follower().tip().isPresent());
    }

    @Test
    void a_branch_of_equal_work_changes_nothing_and_one_of_more_work_does() {
        follow();
        Await.until(
                "one of both is followed",
                () -> followed().equals(first.tip().id())
                        || followed().equals(second.tip().id()));
        long before = disconnections();
        Hash256 ours = followed();
        Devnet other = ours.equals(first.tip().id()) ? second : first;
        Devnet own = other == first ? second : first;

        own.mine(1);
        rig.awaitTip(own.tip().id());
        other.mine(1);
        own.mine(1);
        rig.awaitTip(own.tip().id());
        assertThat(disconnections()).isEqualTo(before);

        other.mine(2);
        rig.awaitTip(other.tip().id());
        assertThat(disconnections()).isGreaterThan(before);
    }
}
