package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.LogCapture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

public class WaitLogTest {
    @AutoClose
    private final LogCapture log = LogCapture.of(SwapActor.WaitLog.class);

    private final SwapActor.WaitLog waits = new SwapActor.WaitLog();

    private static SwapRow locking() {
        SwapRow quoted = Sample.row(Direction.CHAIN_TO_NATIVE);
        return quoted.with(quoted.acts().lock(), Sample.NOW);
    }

    private static SwapRow locked() {
        return locking().seeing(observation(new OwnLock.Locked("o", OptionalLong.of(7))), Sample.NOW);
    }

    private static ChainObservation observation(OwnLock own) {
        return new ChainObservation(
                Optional.of(own), Optional.of(new PoolLock.Locked("p", OptionalLong.empty())), false);
    }

    private static Legs.View gate(Optional<GateVerdict> gate) {
        return new Legs.View(
                observation(new OwnLock.Locked("o", OptionalLong.of(7))), LockPermission.NOT_ASKED, false, gate);
    }

    private static Legs.View closed(String reason) {
        return gate(Optional.of(GateVerdict.closed(reason)));
    }

    private static Legs.View permission(LockPermission permission) {
        return IdleLegs.view(new OwnLock.Absent(), permission, false);
    }

    private List<String> told() {
        assertThat(log.events()).allMatch(event -> event.getLevel() == Level.INFO);
        return log.messages();
    }

    @Test
    void a_closed_gate_is_reported_once_for_each_reason_whatever_its_figures() {
        waits.looked(locked(), closed("the pool's lock is 1 blocks deep; 30 are demanded"));
        waits.looked(locked(), closed("the pool's lock is 2 blocks deep; 30 are demanded"));
        waits.looked(locked(), gate(Optional.empty()));
        waits.looked(locked(), closed("the pool's lock is 3 blocks deep; 30 are demanded"));
        waits.looked(locked(), closed("the nodes do not agree on the block of the pool's lock"));
        waits.looked(locked(), gate(Optional.of(GateVerdict.OPEN)));
        waits.looked(locked(), closed("the nodes do not agree on the block of the pool's lock"));
        assertThat(told())
                .containsExactly(
                        "swap swap-1 is pool_locked and waits: its secret may not leave:"
                                + " the pool's lock is 1 blocks deep; 30 are demanded",
                        "swap swap-1 is pool_locked and waits: its secret may not leave:"
                                + " the nodes do not agree on the block of the pool's lock",
                        "swap swap-1 is pool_locked and waits: its secret may not leave:"
                                + " the nodes do not agree on the block of the pool's lock");
    }

    @Test
    void what_keeps_a_lock_from_leaving_is_told_while_it_is_locking() {
        waits.looked(locking(), permission(LockPermission.NOT_ASKED));
        waits.looked(locking(), permission(new LockPermission.Granted()));
        assertThat(told()).isEmpty();
        waits.looked(locking(), permission(new LockPermission.Unjudged("no answer")));
        waits.looked(locking(), permission(new LockPermission.Unjudged("no answer")));
        waits.looked(locking(), permission(new LockPermission.Refused("x".repeat(10_000))));
        assertThat(told()).hasSize(2).allMatch(line -> line.startsWith("swap swap-1 is locking and waits: "));
        assertThat(told().get(0)).endsWith("cannot be judged: no answer");
        assertThat(told().get(1)).hasSizeLessThan(400);
    }
}
