package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.LyingRig.Lie;
import org.chainwalletd.swap.legs.LyingRig.Ring;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A single endpoint with false data about an account, gas prices or blocks, or without answers, costs a claim or a refund time but no money. */
@Tag("long")
public class LyingSendTest {
    /** Half of the margin of an hour, in steps of half a minute. */
    private static final int STEPS = 60;

    @TempDir
    Path folder;

    @AutoClose
    private LyingRig lying;

    private static Stream<Arguments> allLies() {
        return LyingRig.toTwoAndToThree(Lie.values());
    }

    /** The faults begin when the gate has opened: from then on the claim must succeed, whatever one endpoint reports. */
    @ParameterizedTest
    @MethodSource("allLies")
    void a_claim_is_mined_before_half_of_its_margin_is_gone_whatever_one_endpoint_says(Ring ring, Lie lie) {
        lying = new LyingRig(folder, ring);
        lying.sendEarlier();
        SwapRow row = lying.settledSell();
        assertThat(lying.gate(row)).isEqualTo("open");
        BigInteger before = lying.rig.chain.balance(lying.rig.own());
        lie.tell(lying.liar, lying.rig.own());

        long sent = lying.honest.count("eth_sendRawTransaction");
        EvmLegRig.begun(() -> lying.claim(row));

        awaitMined(SwapContract.State.CLAIMED, sent);
        lying.assertPaid(before);
    }

    @ParameterizedTest
    @MethodSource("allLies")
    void a_refund_is_mined_whatever_one_endpoint_says(Ring ring, Lie lie) {
        lying = new LyingRig(folder, ring);
        SwapRow row = lying.overdueBuy();
        lying.rig.settle();
        BigInteger before = lying.rig.chain.balance(lying.rig.own());
        lie.tell(lying.liar, lying.rig.own());

        long sent = lying.honest.count("eth_sendRawTransaction");
        EvmLegRig.begun(() -> lying.rig.ownLeg().takeBack(row));

        awaitMined(SwapContract.State.REFUNDED, sent);
        lying.assertPaid(before);
    }

    /** Advances half a minute at a time, each with a block and with the time that the daemon needs for its queries. */
    private void awaitMined(SwapContract.State wanted, long sent) {
        for (int step = 0; step < STEPS && lying.state() != wanted; step++) {
            Await.until("it is sent", () -> lying.honest.count("eth_sendRawTransaction") > sent);
            lying.rig.chain.mine();
            if (lying.state() != wanted) {
                long again = lying.honest.count("eth_sendRawTransaction");
                long asked = lying.honest.count("eth_feeHistory");
                lying.rig.chain.clock().advance(AccountRig.PACE.urgent());
                Await.until(
                        "it is tried to pay more, or sent again",
                        () -> lying.honest.count("eth_feeHistory") > asked
                                || lying.honest.count("eth_sendRawTransaction") > again);
            }
        }
        assertThat(lying.state()).isEqualTo(wanted);
    }
}
