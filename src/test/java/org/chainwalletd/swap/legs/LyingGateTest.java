package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.endpoints.AccountException;
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

/** A single endpoint with false data about an account keeps the gate closed and is named, or is outvoted; it never causes an unusable nonce. */
@Tag("long")
public class LyingGateTest {
    @TempDir
    Path folder;

    @AutoClose
    private LyingRig lying;

    private static Stream<Arguments> liesAboutTheAccount() {
        return LyingRig.toTwoAndToThree(
                Lie.NONCE_LOW, Lie.NONCE_ONE_MORE, Lie.NONCE_HIGH, Lie.BALANCE_NONE, Lie.BALANCE_HUGE, Lie.SILENT);
    }

    @ParameterizedTest
    @MethodSource("liesAboutTheAccount")
    void two_words_about_the_account_close_the_gate_and_two_against_one_open_it(Ring ring, Lie lie) {
        lying = new LyingRig(folder, ring);
        SwapRow row = lying.settledSell();
        lie.tell(lying.liar, lying.rig.own());

        String verdict = lying.gate(row);

        boolean isOutvoted = ring == Ring.TWO_OF_THREE && lie != Lie.NONCE_HIGH && lie != Lie.NONCE_ONE_MORE;
        if (isOutvoted) {
            assertThat(verdict).isEqualTo("open");
        } else {
            assertThat(verdict).containsAnyOf("endpoints agree", "until the settled block");
        }
        assertThat(lying.honest.count("eth_sendRawTransaction")).isZero();
    }

    /** Two others do not see the transactions, and once their settled block is past that time it proves that there are none. */
    @Test
    void too_many_transactions_by_one_of_three_hold_the_gate_until_the_settled_block_has_shown_the_lie() {
        lying = new LyingRig(folder, Ring.TWO_OF_THREE);
        SwapRow row = lying.settledSell();
        Lie.NONCE_ONE_MORE.tell(lying.liar, lying.rig.own());
        assertThat(lying.gate(row)).contains("until the settled block");
        lying.rig.settle();

        assertThat(lying.gate(row)).isEqualTo("open");
    }

    /** The final block is then an old one for both, with the lower count. */
    @Test
    void an_old_final_block_by_one_endpoint_makes_no_dead_nonce() {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        SwapRow row = lying.settledSell();
        lying.liar.lies().height(1);

        assertThat(lying.gate(row)).isNotEqualTo("open");
        assertThat(lying.honest.count("eth_sendRawTransaction")).isZero();
    }

    @ParameterizedTest
    @EnumSource(Ring.class)
    void a_first_claim_of_a_key_with_a_history_takes_the_number_that_the_settled_block_shows(Ring ring) {
        lying = new LyingRig(folder, ring);
        SwapRow row = lying.settledSell();
        assertThat(lying.gate(row)).isEqualTo("open");

        lying.claim(row);

        Await.until("it is mined", () -> {
            lying.rig.chain.mine();
            return lying.state() == SwapContract.State.CLAIMED;
        });
        assertThat(lying.rig.chain.nonce(lying.rig.own())).isEqualTo(LyingRig.HISTORY + 1);
    }

    /** Nothing of the claim was sent before, so it waits until the nonce is known. */
    @Test
    void a_first_claim_whose_nonce_the_endpoints_do_not_agree_on_is_not_made() {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        SwapRow row = lying.settledSell();
        assertThat(lying.gate(row)).isEqualTo("open");
        Lie.NONCE_LOW.tell(lying.liar, lying.rig.own());

        assertThatThrownBy(() -> lying.claim(row)).isInstanceOf(AccountException.Disagreement.class);

        assertThat(lying.honest.count("eth_sendRawTransaction")).isZero();
        assertThat(lying.liar.count("eth_sendRawTransaction")).isZero();
    }

    @Test
    void transactions_that_nobody_can_explain_close_the_gate_and_are_something_to_look_at() {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        lying.sendEarlier();
        lying.somebodyElsePays();
        SwapRow row = lying.settledSell();
        Queue<AccountSends.Stopped> stops = stops();

        assertThat(lying.gate(row)).contains("sending from").contains("has stopped");

        assertThat(stops).extracting(AccountSends.Stopped::from).containsOnly(lying.rig.own());
    }

    private Queue<AccountSends.Stopped> stops() {
        Queue<AccountSends.Stopped> stops = new ConcurrentLinkedQueue<>();
        lying.rig.rig.sends.onStop(stops::add);
        return stops;
    }

    /** Everything that stops because endpoints disagree about the nonce: a gate, a lock, a quote, a payment. */
    @ParameterizedTest
    @EnumSource(
            value = Lie.class,
            names = {"NONCE_LOW", "NONCE_ONE_MORE", "NONCE_HIGH"})
    void all_that_stops_because_of_a_nonce_is_something_to_look_at(Lie lie) {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        SwapRow sell = lying.settledSell();
        SwapRow buy = lying.rig.buy();
        Queue<AccountSends.Stopped> stops = stops();
        assertThat(lying.gate(sell)).isEqualTo("open");
        assertThat(stops).isEmpty();
        lie.tell(lying.liar, lying.rig.own());

        assertThat(lying.gate(sell)).isNotEqualTo("open");
        assertThat(stops).isNotEmpty();
        stops.clear();
        EvmObstacles obstacles =
                new EvmObstacles(lying.rig.rig.endpoints, lying.rig.rig.sends, lying.rig.chain.codeHash());
        assertThat(EvmLegRig.begun(() -> obstacles.find(buy, any -> true, Optional.of(any -> BigInteger.ZERO))))
                .satisfiesAnyOf(
                        against -> assertThatThrownBy(() -> done(against)).isInstanceOf(AccountException.class),
                        against -> assertThat(done(against)).isPresent());
        assertThat(stops).isNotEmpty();
        stops.clear();
        assertThatThrownBy(() -> lying.rig.rig.send("payment", 1)).isInstanceOf(RuntimeException.class);
        assertThat(stops).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Lie.class,
            names = {"SILENT", "BASE_FEE_HIGH", "HEIGHT_HIGH"})
    void what_is_no_word_about_the_account_is_no_stop_of_its_sends(Lie lie) {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        SwapRow row = lying.settledSell();
        Queue<AccountSends.Stopped> stops = stops();
        lie.tell(lying.liar, lying.rig.own());

        lying.gate(row);

        assertThat(stops).isEmpty();
    }

    @Test
    void another_party_that_uses_the_key_closes_the_gate_before_any_block_of_it_is_settled() {
        lying = new LyingRig(folder, Ring.TWO_OF_TWO);
        SwapRow row = lying.settledSell();
        lying.somebodyElsePays();

        assertThat(lying.gate(row)).contains("until the settled block");
    }
}
