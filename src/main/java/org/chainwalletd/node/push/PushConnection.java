package org.chainwalletd.node.push;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.KillSwitch;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.chain.Address;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.HttpPeer;
import org.chainwalletd.net.HttpRequest;

/**
 * Opens push streams to one node. A stream buffers at most a piece of bytes, a line, an event and a set of its addresses, whatever the node sends:
 * a line or event that is too long ends it, bytes above the rate below wait in the node's socket, and news that is not taken yet is merged.
 */
final class PushConnection {
    private static final int BYTES_PER_SECOND = 256 * 1024;
    private static final int NEWS_PER_SECOND = 20;

    /** Listener of a stream. */
    interface Listener {
        /** Called when the node has accepted; changes are reported from now on. */
        void opened();

        /** Called with news. More may follow when the returned stage completes. */
        CompletionStage<Done> news(Nudges nudges);

        /**
         * Called when the stream has ended.
         *
         * @param failure null if the node closed the stream or its switch was used; {@link HttpAnswer.RefusedException} for an answer that is not a
         *     stream
         */
        void ended(Throwable failure);
    }

    private final ActorSystem<?> system;
    private final HttpPeer node;
    private final Duration answerWithin;
    private final Duration heartbeatWithin;

    /**
     * @param answerWithin time for the node to accept or refuse
     * @param heartbeatWithin a stream without a heartbeat for this long is closed
     */
    PushConnection(ActorSystem<?> system, HttpPeer node, Duration answerWithin, Duration heartbeatWithin) {
        this.system = system;
        this.node = node;
        this.answerWithin = answerWithin;
        this.heartbeatWithin = heartbeatWithin;
    }

    /** Opens a stream. Never fails: failures go to the listener, whose {@code ended} is called exactly once. */
    KillSwitch open(Set<Address> addresses, Listener listener) {
        Pair<UniqueKillSwitch, CompletionStage<Done>> running = node.stream(
                        request(addresses), answerWithin, listener::opened)
                .throttle(
                        BYTES_PER_SECOND,
                        Duration.ofSeconds(1),
                        4 * BYTES_PER_SECOND,
                        ByteString::size,
                        ThrottleMode.shaping())
                .via(new PushEvents(addresses, answerWithin, heartbeatWithin))
                .viaMat(KillSwitches.single(), Keep.right())
                .conflate(Nudges::and)
                .throttle(NEWS_PER_SECOND, Duration.ofSeconds(1))
                .mapAsync(1, listener::news)
                .toMat(Sink.ignore(), Keep.both())
                .run(system);
        running.second().whenCompleteAsync((done, failure) -> listener.ended(failure), system.executionContext());
        return running.first();
    }

    /** Uses literal commas and no unnecessary headers, because a node reads only 8,192 bytes of them. */
    private static HttpRequest request(Set<Address> addresses) {
        String list = addresses.stream().map(Address::hex).collect(Collectors.joining(","));
        return HttpRequest.get("/sse?addresses=" + list + "&tips=1");
    }

    /**
     * Parser for a push stream (chain protocol, section 12; server-sent events of the HTML standard). Unknown events are ignored. The stream fails
     * when a line or an event is too long, or when no comment line has arrived for a while: a node sends one every 25 s independent of events, so
     * neither single bytes nor a flood of events keep a stream alive.
     */
    private static final class PushEvents extends GraphStage<FlowShape<ByteString, Nudges>> {
        /** Maximum length of a line; a node's own events have less than 100 bytes. */
        private static final int MAX_LINE = 1_024;

        private static final int MAX_EVENT = 4_096;
        private static final JsonFactory JSON = new JsonFactory();

        private final Inlet<ByteString> in = Inlet.create("PushEvents.in");
        private final Outlet<Nudges> out = Outlet.create("PushEvents.out");
        private final FlowShape<ByteString, Nudges> shape = FlowShape.of(in, out);
        private final Set<Address> asked;
        private final Duration openWithin;
        private final Duration heartbeatWithin;

        /**
         * @param asked addresses of the stream; events for others are dropped
         * @param openWithin maximum time until the stream is open
         * @param heartbeatWithin maximum time between two comment lines
         */
        PushEvents(Set<Address> asked, Duration openWithin, Duration heartbeatWithin) {
            this.asked = asked;
            this.openWithin = openWithin;
            this.heartbeatWithin = heartbeatWithin;
        }

        @Override
        public FlowShape<ByteString, Nudges> shape() {
            return shape;
        }

        @Override
        public GraphStageLogic createLogic(Attributes attributes) {
            return new Logic();
        }

        private final class Logic extends TimerGraphStageLogic {
            private static final String HEARTBEAT_TIMER = "silence";

            private final byte[] line = new byte[MAX_LINE];
            private final StringBuilder data = new StringBuilder();
            private String type = "";
            private int length;
            private int eventBytes;
            private boolean receiving;
            private boolean heartbeat;

            Logic() {
                super(shape);
                setHandler(in, new AbstractInHandler() {
                    @Override
                    public void onPush() {
                        take(grab(in));
                    }
                });
                setHandler(out, new AbstractOutHandler() {
                    @Override
                    public void onPull() {
                        pull(in);
                    }
                });
            }

            @Override
            public void preStart() {
                scheduleOnce(HEARTBEAT_TIMER, openWithin.plus(heartbeatWithin));
            }

            @Override
            public void onTimer(Object key) {
                failStage(new IllegalStateException("no heartbeat for " + heartbeatWithin.toMillis() + " ms"));
            }

            private void take(ByteString bytes) {
                Nudges news = Nudges.NONE;
                heartbeat = !receiving;
                receiving = true;
                for (int i = 0; i < bytes.length(); i++) {
                    byte next = bytes.apply(i);
                    if (next == '\n') {
                        news = news.and(endLine());
                    } else if (length == MAX_LINE || eventBytes == MAX_EVENT) {
                        failStage(new IllegalStateException(
                                "a line of more than " + MAX_LINE + " bytes, or an event of more than " + MAX_EVENT));
                        return;
                    } else {
                        line[length++] = next;
                        eventBytes++;
                    }
                }
                if (heartbeat) {
                    scheduleOnce(HEARTBEAT_TIMER, heartbeatWithin);
                }
                if (news.isNothing()) {
                    pull(in);
                } else {
                    push(out, news);
                }
            }

            private Nudges endLine() {
                int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
                String text = new String(line, 0, end, StandardCharsets.UTF_8);
                int whole = length;
                length = 0;
                if (text.isEmpty()) {
                    Nudges news = news(type, data.toString(), asked);
                    type = "";
                    data.setLength(0);
                    eventBytes = 0;
                    return news;
                }
                int colon = text.indexOf(':');
                if (colon == 0) {
                    heartbeat = true;
                    eventBytes -= whole;
                } else if (colon > 0) {
                    String value = text.substring(text.startsWith(" ", colon + 1) ? colon + 2 : colon + 1);
                    switch (text.substring(0, colon)) {
                        case "event" -> type = value;
                        case "data" ->
                            data.append(data.length() == 0 ? "" : "\n").append(value);
                        default -> {
                            // Other fields are ignored.
                        }
                    }
                }
                return Nudges.NONE;
            }
        }

        private static Nudges news(String type, String data, Set<Address> asked) {
            return switch (type) {
                case "script_changed" -> changed(data, asked);
                case "tip" -> tip(data);
                case "resync" -> data.isEmpty() ? Nudges.NONE : Nudges.lost();
                default -> Nudges.NONE;
            };
        }

        private static Nudges changed(String data, Set<Address> asked) {
            String script = member(data, "script");
            try {
                Address address = script == null ? null : Address.parse(script);
                return address != null && asked.contains(address) ? Nudges.changed(address) : Nudges.NONE;
            } catch (IllegalArgumentException e) {
                return Nudges.NONE;
            }
        }

        private static Nudges tip(String data) {
            String height = member(data, "height");
            try {
                return height == null ? Nudges.NONE : Nudges.tip(Long.parseUnsignedLong(height));
            } catch (IllegalArgumentException e) {
                return Nudges.NONE;
            }
        }

        /** Returns the text of a string or number member of an object; null if there is none. */
        private static String member(String json, String name) {
            try (JsonParser in = JSON.createParser(json)) {
                if (in.nextToken() != JsonToken.START_OBJECT) {
                    return null;
                }
                while (in.nextToken() == JsonToken.FIELD_NAME) {
                    boolean wanted = in.currentName().equals(name);
                    JsonToken value = in.nextToken();
                    if (wanted) {
                        return value == JsonToken.VALUE_STRING || value == JsonToken.VALUE_NUMBER_INT
                                ? in.getText()
                                : null;
                    }
                    in.skipChildren();
                }
                return null;
            } catch (IOException e) {
                return null;
            }
        }
    }
}
