package org.chainwalletd.swap;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.swap.pool.Direction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WaitLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(WaitLog.class);
    private final ListAppender<ILoggingEvent> captured = new ListAppender<>();
    private final WaitLog waits = new WaitLog();

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
        SwapRow quoted = SwapRow.quoted(
                "s1", "pool-1", "run-1", Sample.terms(Direction.CHAIN_TO_NATIVE), Optional.empty(), Sample.NOW);
        return quoted.with(quoted.acts().lock(), Sample.NOW);
    }

    private static SwapRow locked() {
        return locking().seeing(sight(new OwnLock.Locked("o", OptionalLong.of(7))), Sample.NOW);
    }

    private static Sight sight(OwnLock own) {
        return new Sight(Optional.of(own), Optional.of(new PoolLock.Locked("p")), false);
    }

    private static Legs.View gate(Optional<GateVerdict> gate) {
        return new Legs.View(sight(new OwnLock.Locked("o", OptionalLong.of(7))), Clearance.NOT_ASKED, false, gate);
    }

    private static Legs.View closed(GateVerdict.Reason reason) {
        return gate(Optional.of(GateVerdict.closed(reason)));
    }

    private static Legs.View clearance(Clearance clearance) {
        return new Legs.View(sight(new OwnLock.Absent()), clearance, false, Optional.empty());
    }

    private List<String> told() {
        assertThat(captured.list).allMatch(event -> event.getLevel() == Level.INFO);
        return captured.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void a_closed_gate_is_told_once_for_each_reason_whatever_its_figures() {
        waits.looked(locked(), closed(new GateVerdict.NotDeepEnough(1, 30)));
        waits.looked(locked(), closed(new GateVerdict.NotDeepEnough(2, 30)));
        waits.looked(locked(), gate(Optional.empty()));
        waits.looked(locked(), closed(new GateVerdict.NotDeepEnough(3, 30)));
        waits.looked(locked(), closed(new GateVerdict.NodesDisagree()));
        waits.looked(locked(), gate(Optional.of(new GateVerdict.Open())));
        waits.looked(locked(), closed(new GateVerdict.NodesDisagree()));
        assertThat(told())
                .containsExactly(
                        "swap s1 is pool_locked and waits: its secret may not leave:"
                                + " the pool's lock is 1 blocks deep; 30 are demanded",
                        "swap s1 is pool_locked and waits: its secret may not leave:"
                                + " the nodes do not agree on the block of the pool's lock",
                        "swap s1 is pool_locked and waits: its secret may not leave:"
                                + " the nodes do not agree on the block of the pool's lock");
    }

    @Test
    void what_keeps_a_lock_from_leaving_is_told_while_it_is_locking() {
        waits.looked(locking(), clearance(Clearance.NOT_ASKED));
        waits.looked(locking(), clearance(new Clearance.Clear()));
        assertThat(told()).isEmpty();
        waits.looked(locking(), clearance(new Clearance.Unjudged("no answer")));
        waits.looked(locking(), clearance(new Clearance.Unjudged("no answer")));
        waits.looked(locking(), clearance(new Clearance.Against("x".repeat(10_000))));
        assertThat(told()).hasSize(2).allMatch(line -> line.startsWith("swap s1 is locking and waits: "));
        assertThat(told().get(0)).endsWith("cannot be judged: no answer");
        assertThat(told().get(1)).hasSizeLessThan(400);
    }
}
