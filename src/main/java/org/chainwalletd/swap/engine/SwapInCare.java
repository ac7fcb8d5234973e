package org.chainwalletd.swap.engine;

import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * A swap's actor, and the questions that it was given. Those that lie in its stash or its mailbox when it ends are answered here. Belongs to
 * the {@link SwapEngine}, which alone touches it.
 */
public final class SwapInCare {
    /** Answered ones are taken out when there are twice as many as were open the last time. */
    private static final int FEWEST = 16;

    private final ActorRef<SwapActor.Command> actor;
    private final List<SwapQuestion> given = new ArrayList<>();
    private int most = FEWEST;

    SwapInCare(ActorRef<SwapActor.Command> actor) {
        this.actor = actor;
    }

    void ask(SwapQuestion question) {
        if (given.size() >= most) {
            given.removeIf(asked -> asked.reply().isDone());
            most = Math.max(FEWEST, 2 * given.size());
        }
        given.add(question);
        actor.tell(new SwapActor.Ask(question));
    }

    void nudge() {
        actor.tell(new SwapActor.Nudge());
    }

    /** Questions that it was given before come to it before the stop. */
    void release() {
        actor.tell(new SwapActor.Stop());
    }

    /** It answers nothing any more. */
    void ended() {
        given.forEach(question -> question.reply().complete(question.unknown(new Unattended())));
        given.clear();
    }
}
