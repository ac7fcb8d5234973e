package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

public class WaitLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(SwapActor.WaitLog.class);
    private final ListAppender<ILoggingEvent> captured = new ListAppender<>();
    private final SwapActor.WaitLog waits = new SwapActor.WaitLog();

    @BeforeEach
    void listen() {
        captured.start();
        logger.addAppender(captured);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(captured);
    }

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
        assertThat(captured.list).allMatch(event -> event.getLevel() == Level.INFO);
        return captured.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
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
