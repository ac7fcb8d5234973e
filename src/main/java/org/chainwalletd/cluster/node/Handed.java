package org.chainwalletd.cluster.node;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.receptionist.ServiceKey;
import org.chainwalletd.cluster.Node;

/** Messages between daemons about a call that is handed over. */
final class Handed {
    /** Key under which those that answer are known. */
    static final ServiceKey<Ask> KEY = ServiceKey.create(Ask.class, "background");

    private Handed() {}

    /** Message to one that answers. */
    interface ToAnswering {}

    /** Message to one that asks. */
    interface ToAsking {}

    /**
     * Asks for the answer to a call.
     *
     * @param id of the asking daemon
     * @param request see {@link Node.Call}
     */
    record Ask(
            long id, String token, boolean named, String client, long millis, byte[] request, ActorRef<Answered> from)
            implements ToAnswering, Carried {}

    /** Outcome of a call that was handed over. Whoever can write on the network can make one up, so none says that nothing was begun. */
    enum Outcome {
        GIVEN,
        /** The daemon that was asked does not do the background work: another one may answer. */
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
            // An answer that is too long would be dropped on its way.
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
