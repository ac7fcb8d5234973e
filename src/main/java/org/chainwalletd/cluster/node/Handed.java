package org.chainwalletd.cluster.node;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.receptionist.ServiceKey;
import org.chainwalletd.cluster.Node;

/** Messages between daemons about forwarded calls. */
final class Handed {
    /** Receptionist key of the actors that answer calls. */
    static final ServiceKey<Ask> KEY = ServiceKey.create(Ask.class, "background");

    private Handed() {}

    /** Message to the actor that answers calls ({@link Answering}). */
    interface ToAnswering {}

    /** Message to the actor that forwards calls ({@link Asking}). */
    interface ToAsking {}

    /**
     * Request to answer a call.
     *
     * @param id assigned by the asking daemon
     * @param request see {@link Node.Call}
     */
    record Ask(
            long id, String token, boolean named, String client, long millis, byte[] request, ActorRef<Answered> from)
            implements ToAnswering, Carried {}

    /** Outcome of a forwarded call. Anyone who can write to the network can forge it, so no value claims that the call was never begun. */
    enum Outcome {
        GIVEN,
        /** The asked daemon does not do the background work; another one may answer. */
        NOT_HERE,
        LOST
    }

    /**
     * Answer to a call.
     *
     * @param status HTTP status, with {@code GIVEN}
     * @param body see {@link Node.Answer.Given}
     */
    record Answered(long id, Outcome outcome, int status, byte[] body) implements ToAsking, Carried {
        static Answered of(long id, Node.Answer answer) {
            // A longer answer would be dropped in transit.
            return answer instanceof Node.Answer.Given given && given.body().length <= Node.MAX_ANSWER_BYTES
                    ? new Answered(id, Outcome.GIVEN, given.status(), given.body())
                    : without(id, Outcome.LOST);
        }

        static Answered notHere(long id) {
            return without(id, Outcome.NOT_HERE);
        }

        private static Answered without(long id, Outcome outcome) {
            return new Answered(id, outcome, 0, new byte[0]);
        }
    }
}
