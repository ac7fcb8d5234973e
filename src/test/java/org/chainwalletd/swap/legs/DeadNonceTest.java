package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.FatedJournal;
import org.chainwalletd.account.FatedJournal.Fate;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.LyingRig.Lie;
import org.chainwalletd.swap.legs.LyingRig.Ring;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Claims and refunds whose nonce in the journal is used up, or reported so: they are also sent at every nonce that an endpoint reports, which costs
 * at most the gas of failing transactions.
 */
@Tag("long")
public class DeadNonceTest {
    /** Half of the margin of an hour, in steps of half a minute. */
    private static final int STEPS = 60;

    private static final String CLAIM = "swap/a-sell/claim";

    @TempDir
    Path folder;

    @AutoClose
    private LyingRig lying;

    private static Stream<Arguments> lies() {
        return LyingRig.toTwoAndToThree(
                Lie.NONCE_LOW, Lie.NONCE_ONE_MORE, Lie.NONCE_HIGH, Lie.ALL_LOW, Lie.ALL_HIGH, Lie.SILENT);
    }

    /** Repeats what a swap's actor does at each observation, every half minute, with a block for each. */
    private void until(SwapContract.State wanted, Runnable look) {
        for (int step = 0; step < STEPS && lying.state() != wanted; step++) {
            long asked = lying.honest.count("eth_getTransactionCount");
            look.run();
            lying.rig.chain.clock().advance(AccountRig.PACE.urgent());
            Await.until(
                    "it is looked at, or over",
                    () -> lying.honest.count("eth_getTransactionCount") > asked + 2
                            || done(lying.rig.rig.sends.open(lying.rig.own())).isEmpty());
            lying.rig.chain.mine();
        }
        assertThat(lying.state()).isEqualTo(wanted);
    }

    private List<SendRecord> copies(String owner) {
        return done(lying.rig.rig.sends.ofOwner(owner)).stream()
                .filter(SendRecord::isCopy)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("lies")
    void a_claim_whose_nonce_another_sender_has_used_is_mined_at_the_one_that_the_honest_endpoint_names(
            Ring ring, Lie lie) {
        lying = new LyingRig(folder, ring);
        lying.sendEarlier();
        SwapRow row = lying.settledSell();
        lying.somebodyElsePays();
        BigInteger before = lying.rig.chain.balance(lying.rig.own());
        lie.tell(lying.liar, lying.rig.own());

        until(SwapContract.State.CLAIMED, () -> lying.claim(row));

        lying.assertPaid(before);
        assertThat(copies("a-sell")).extracting(SendRecord::nonce).contains(LyingRig.HISTORY + 2L);
    }

    /** Copies at falsely reported nonces while everything else is false too: the claim is mined at its own nonce, and no gas is wasted. */
    @ParameterizedTest
    @EnumSource(Lie.class)
    void a_claim_that_is_looked_after_is_mined_at_its_own_nonce_whatever_one_endpoint_says(Lie lie) {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        lying.sendEarlier();
        SwapRow row = lying.settledSell();
        BigInteger before = lying.rig.chain.balance(lying.rig.own());
        lie.tell(lying.liar, lying.rig.own());

        until(SwapContract.State.CLAIMED, () -> lying.claim(row));

        lying.rig.chain.mine(3);
        lying.assertPaid(before);
        lying.liar.behave();
        lying.rig.settle();
        lying.rig.rig.await(CLAIM, SendState.Final.class);
    }

    @ParameterizedTest
    @MethodSource("lies")
    void a_refund_whose_nonce_another_sender_has_used_is_mined_at_the_one_that_the_honest_endpoint_names(
            Ring ring, Lie lie) {
        lying = new LyingRig(folder, ring);
        SwapRow row = lying.overdueBuy();
        lying.somebodyElsePays();
        lying.rig.settle();
        BigInteger before = lying.rig.chain.balance(lying.rig.own());
        lie.tell(lying.liar, lying.rig.own());

        until(SwapContract.State.REFUNDED, () -> lying.rig.ownLeg().takeBack(row));

        lying.assertPaid(before);
    }

    /** A claim mined at its own nonce needs no other: the reported count may be ahead of what the daemon has observed for a moment. */
    @ParameterizedTest
    @EnumSource(
            value = Ring.class,
            names = {"TWO_OF_TWO", "TWO_OF_THREE"})
    void honest_endpoints_never_get_a_copy(Ring ring) {
        lying = new LyingRig(folder, ring);
        lying.sendEarlier();
        SwapRow row = lying.settledSell();
        lying.claim(row);
        lying.rig.chain.clock().advance(AccountRig.PACE.resend());
        lying.rig.chain.mine();
        for (int look = 0; look < 20; look++) {
            lying.claim(row);
            lying.rig.chain.clock().advance(AccountRig.PACE.resend());
        }
        lying.rig.rig.await(CLAIM, SendState.Mined.class);

        assertThat(copies("a-sell")).isEmpty();
        lying.rig.settle();
        lying.rig.rig.await(CLAIM, SendState.Final.class);
    }

    /** The second of two claims fails and costs gas; no other party has used its nonce. */
    @Test
    void a_copy_that_fails_behind_the_claim_costs_little_and_stops_nothing() {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        lying.sendEarlier();
        SwapRow row = lying.settledSell();
        BigInteger before = lying.rig.chain.balance(lying.rig.own());
        lying.liar.lies().nonce(lying.rig.own(), LyingRig.HISTORY + 2);
        lying.liar.swallowSends();
        Await.until("there is a copy", () -> {
            lying.claim(row);
            lying.rig.chain.clock().advance(AccountRig.PACE.resend());
            return !copies("a-sell").isEmpty();
        });
        assertThat(copies("a-sell")).extracting(SendRecord::nonce).containsExactly(LyingRig.HISTORY + 2L);
        Await.until(
                "the honest endpoint has both", () -> lying.rig.chain.waiting().size() == 2);
        lying.liar.behave();

        lying.rig.settle();
        lying.rig.rig.await(CLAIM, SendState.Final.class);
        lying.rig.rig.await(CLAIM + "@" + (LyingRig.HISTORY + 2), SendState.Reverted.class);

        assertThat(lying.state()).isEqualTo(SwapContract.State.CLAIMED);
        lying.assertPaid(before);
        assertThat(lying.rig.rig.sends.funds(lying.rig.own(), "another").obstacle())
                .isEmpty();
        assertThat(lying.rig.rig.send("later", 1).nonce()).isEqualTo(LyingRig.HISTORY + 3L);
    }

    /** Whatever nonces it reports, and however often they change, there are few copies, and none reduces what the claim can pay. */
    @Test
    void an_endpoint_that_names_one_absurd_nonce_after_the_other_gets_few_copies_and_holds_no_money() {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        lying.sendEarlier();
        SwapRow row = lying.settledSell();
        lying.honest.refuse("eth_sendRawTransaction", -32000, "txpool is full");
        long named = Long.MAX_VALUE;
        for (int look = 0; look < 12; look++) {
            lying.liar.behave();
            lying.liar.lies().nonce(lying.rig.own(), named);
            named = look % 2 == 0 ? named : look < 2 ? Long.MAX_VALUE - 1 : 1_000L * look;
            long asked = lying.liar.count("eth_getTransactionCount");
            lying.claim(row);
            lying.rig.chain.clock().advance(AccountRig.PACE.resend());
            Await.until("it was asked", () -> lying.liar.count("eth_getTransactionCount") > asked + 2);
        }
        lying.liar.behave();
        assertThat(copies("a-sell")).hasSizeLessThanOrEqualTo(2);
        BigInteger committed = lying.rig.rig.sends.funds(lying.rig.own()).committed();
        assertThat(committed)
                .isLessThanOrEqualTo(lying.rig.rig.find(CLAIM).maxFee().multiply(BigInteger.valueOf(SwapSends.GAS)));
        lying.honest.behave();

        until(SwapContract.State.CLAIMED, () -> lying.claim(row));
        assertThat(done(lying.rig.rig.sends.open(lying.rig.own()))).allMatch(open -> open.kind() == SendKind.CLAIM);
    }

    /**
     * The first write is the claim's row, the second its state, the third the copy. Whether or not the third is written, one of the two is sent.
     */
    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"NOT_DONE", "DONE", "REFUSED", "UNKNOWN"})
    void a_death_between_a_copy_and_its_first_byte_neither_loses_it_nor_makes_it_twice(Fate fate) {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        lying.sendEarlier();
        SwapRow row = lying.settledSell();
        lying.somebodyElsePays();
        lying.liar.lies().nonce(lying.rig.own(), 0);
        lying.liar.swallowSends();
        FatedJournal journal = new FatedJournal(3, fate);
        lying.rig.rig.restartWith(journal::over);
        lying.claim(row);
        journal.orUntil(() -> {
            EvmLegRig.begun(() -> lying.claim(row));
            lying.rig.chain.clock().advance(AccountRig.PACE.resend());
            return journal.isBeyond();
        });
        lying.rig.rig.crash();

        until(SwapContract.State.CLAIMED, () -> lying.claim(row));

        lying.liar.behave();
        lying.rig.settle();
        Await.until(
                "it is final",
                () -> copies("a-sell").stream().anyMatch(copy -> copy.state() instanceof SendState.Final));
        assertThat(copies("a-sell"))
                .extracting(SendRecord::nonce)
                .doesNotHaveDuplicates()
                .contains(LyingRig.HISTORY + 2L);
    }
}
