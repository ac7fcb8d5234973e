package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim that is made late, or resumed late by a new process, reaches its fee ceiling before the pool can refund its lock. */
public class LateClaimTest {
    private static final String CLAIM = "swap/a-sell/claim";

    @TempDir
    Path folder;

    @AutoClose
    private EvmLegRig rig;

    @BeforeEach
    void start() {
        rig = new EvmLegRig(folder);
    }

    private SwapRow pressed() {
        SwapRow row = rig.locking(rig.sell());
        rig.lockOfThePool();
        rig.settle();
        PoolLeg.View seen = rig.poolLeg().look(row);
        return row.seeing(new ChainObservation(Optional.empty(), Optional.of(seen.lock()), false), rig.now());
    }

    private void nobodyTakesAnything() {
        rig.rig.first.swallowSends();
        rig.rig.second.swallowSends();
    }

    private void advanceTo(long secondsLeft) {
        rig.chain.clock().advance(Duration.ofSeconds(rig.deadline - secondsLeft - rig.now()));
    }

    private BigInteger mostForGas() {
        SendRecord claim = rig.rig.find(CLAIM);
        return claim.maxFee().multiply(BigInteger.valueOf(claim.call().gasLimit()));
    }

    private void push(SwapRow row) {
        rig.poolLeg().pushClaim(row, rig.held(), () -> true);
    }

    /** Asserts a fee below the ceiling by at most one wei per unit of gas. */
    private void assertAtTheCeilingBeforeTheDeadline(SwapRow row) {
        BigInteger ceiling = EvmLegRig.WEI.subtract(BigInteger.valueOf(SwapSends.GAS));
        while (mostForGas().compareTo(ceiling) < 0 && rig.deadline - rig.now() > 30) {
            int versions = rig.rig.find(CLAIM).hashes().size();
            push(row);
            rig.chain.clock().advance(AccountRig.PACE.urgent());
            Await.until("it pays more", () -> rig.rig.find(CLAIM).hashes().size() > versions);
        }
        assertThat(mostForGas()).isGreaterThanOrEqualTo(ceiling);
        assertThat(rig.now()).isLessThan(rig.deadline);
    }

    @ParameterizedTest
    @ValueSource(longs = {1_800, 900, 150, 62})
    void a_claim_that_is_made_late(long secondsLeft) {
        SwapRow row = pressed();
        nobodyTakesAnything();
        advanceTo(secondsLeft);
        push(row);
        assertThat(mostForGas()).isLessThan(EvmLegRig.WEI.divide(BigInteger.TWO));

        assertAtTheCeilingBeforeTheDeadline(row);
    }

    @ParameterizedTest
    @ValueSource(longs = {900, 150, 62})
    void a_claim_that_a_new_process_finds_late(long secondsLeft) {
        SwapRow row = pressed();
        nobodyTakesAnything();
        advanceTo(2_000);
        push(row);
        rig.rig.kill();
        advanceTo(secondsLeft);
        rig.rig.start();

        assertAtTheCeilingBeforeTheDeadline(row);
    }
}
