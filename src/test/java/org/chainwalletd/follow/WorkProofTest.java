package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.FollowRig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Check, on demand, of work that was skipped while catching up. */
class WorkProofTest {
    private static final long TOP = 70;

    @TempDir
    Path folder;

    private Devnet chain;
    private DistortingNode node;
    private FollowRig rig;

    @BeforeEach
    void follow() throws Exception {
        chain = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain")).withFirstBlocks((int) TOP));
        node = new DistortingNode(chain.uri());
        rig = new FollowRig(folder, List.of(), node.url());
        rig.awaitTip(chain.tip().id());
        get(rig.books().write(session -> {
            session.head().update("UPDATE blocks SET work_checked = 0");
            return null;
        }));
    }

    @AfterEach
    void stop() throws IOException {
        rig.close();
        node.close();
        chain.close();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return Await.result(stage);
    }

    private boolean isChecked(long from, long to) throws Exception {
        return get(rig.books().read(session -> BlockRows.isWorkChecked(session.head(), from, to)));
    }

    @Test
    void what_was_left_out_is_checked_once_and_written_down() throws Exception {
        assertThat(isChecked(60, TOP)).isFalse();
        assertThat(get(rig.follower().provesWork(60, TOP))).isTrue();
        assertThat(isChecked(60, TOP)).isTrue();
        long asked = node.count("get_block");
        assertThat(get(rig.follower().provesWork(60, TOP))).isTrue();
        assertThat(node.count("get_block")).isEqualTo(asked);
    }

    @Test
    void so_much_is_checked_at_a_time_that_nobody_waits_for_long() throws Exception {
        assertThat(get(rig.follower().provesWork(1, TOP))).isFalse();
        assertThat(isChecked(1, 64)).isTrue();
        assertThat(get(rig.follower().provesWork(1, TOP))).isTrue();
    }

    @Test
    void a_header_that_is_not_the_blocks_proves_nothing() throws Exception {
        node.lieAbout("get_block", result -> result.put("nonce", 7));
        assertThat(get(rig.follower().provesWork(60, TOP))).isFalse();
        node.tellTheTruth();
        assertThat(get(rig.follower().provesWork(60, TOP))).isTrue();
    }

    @Test
    void heights_without_a_kept_block_are_not_proven() throws Exception {
        assertThat(get(rig.follower().provesWork(60, TOP + 1))).isFalse();
    }
}
