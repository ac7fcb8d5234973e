package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.swap.legs.ChainLegRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claim of a lock that the books have in a block above the followed tip, as a lying node can bring about while the daemon catches up. */
class UnworkedLockTest {
    private static final Bytes PREIMAGE = Bytes.parse("0102");

    @Test
    void a_lock_in_a_block_without_checked_work_is_claimed_only_if_all_nodes_show_it(@TempDir Path folder) {
        try (ChainLegRig rig = new ChainLegRig(folder)) {
            Party ours = rig.ours();
            Party sender = rig.stranger();
            HtlcParams params = new HtlcParams(sender.key, ours.key, HtlcWitness.hashLockOf(PREIMAGE.toArray()), 1_000);
            Outpoint lock = rig.lock(sender, params, Amount.of(500_000));
            rig.forgetWork(rig.chain.tip().height());
            rig.second.lieAbout(
                    "get_transaction",
                    told -> told.put("in_mempool", true).without(List.of("block_height", "block_hash")));
            ClaimRequest claim = new ClaimRequest(
                    ours.address,
                    lock,
                    PREIMAGE,
                    sender.key,
                    params.timeoutHeight(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());

            assertThatThrownBy(() -> done(rig.htlcs.redeem(claim)))
                    .isInstanceOfSatisfying(
                            SpendException.class,
                            failure -> assertThat(failure.refusal()).isInstanceOf(SpendRefusal.UpstreamFailed.class))
                    .hasMessageContaining("is in no block up to the followed tip, and the nodes do not agree on it");
            assertThat(rig.first.count("send_raw_transaction") + rig.second.count("send_raw_transaction"))
                    .as("claims that were sent")
                    .isZero();

            rig.second.tellTheTruth();
            done(rig.htlcs.redeem(claim));
        }
    }
}
