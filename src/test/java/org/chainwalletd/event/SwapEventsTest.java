package org.chainwalletd.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.SinkQueueWithCancel;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.event.OwnEvents.SwapEvents;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.rpc.method.SwapWords;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SwapEventsTest {
    @AutoClose("shutdownTestKit")
    private static final ActorTestKit KIT = ActorTestKit.create();

    private final EventHub hub = new EventHub();
    private final SwapEvents events =
            new SwapEvents(hub, SwapWords.of(ChainProfile.of("chain"), new Settings.EvmWords("evm", "native")));

    /** Readers of {@code swap} events distinguish an alarm from a record by its member {@code alarm}. */
    @Test
    void an_alarm_is_a_swap_event_with_its_kind_its_words_and_the_swap_where_there_is_one() throws Exception {
        SinkQueueWithCancel<ByteString> stream = hub.live().runWith(Sink.queue(), KIT.system());

        events.alarm(new SwapAlarm(
                SwapAlarm.Kind.RELAY_SILENT,
                Optional.of(Hash256.ZERO),
                Optional.of("5e21"),
                "the pool has had the secret"));
        events.alarm(new SwapAlarm(
                SwapAlarm.Kind.LOCK_WITHOUT_ROW, Optional.of(Hash256.ZERO), Optional.empty(), "taken back"));
        events.alarm(SwapAlarm.of(new AccountSends.Stopped(EvmAddress.of(new byte[EvmAddress.LENGTH]), "0 or 5")));

        String hash = "00".repeat(32);
        assertThat(next(stream))
                .contains("event: swap\ndata: {\"alarm\":\"relay_silent\",\"hashlock\":\"" + hash
                        + "\",\"swap_id\":\"5e21\",\"error\":\"the pool has had the secret\"}\n\n");
        assertThat(next(stream))
                .contains("event: swap\ndata: {\"alarm\":\"lock_without_row\",\"hashlock\":\"" + hash
                        + "\",\"error\":\"taken back\"}\n\n");
        assertThat(next(stream))
                .contains("event: swap\ndata: {\"alarm\":\"sending_stopped\",\"error\":\"0 or 5\"}\n\n");
    }

    private static Optional<String> next(SinkQueueWithCancel<ByteString> stream) throws Exception {
        return Await.result(stream.pull()).map(ByteString::utf8String);
    }
}
