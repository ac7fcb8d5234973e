package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.chainwalletd.chain.Outpoint;

/**
 * Which bytes the {@link Rebroadcaster} is just sending, and which it may not send because the operator is giving their coins up: what was
 * given up must not reach a node a moment later. Changed only on that actor's thread.
 */
final class Resends {
    private final Consumer<Reservations.Abandon> quiet;
    private final List<WatchedSpend> underWay = new ArrayList<>();
    private final List<Reservations.Abandon> waiting = new ArrayList<>();
    private final List<Reservations.Abandon> withheld = new ArrayList<>();

    /** @param quiet told once for each question, when nothing of it is being sent any more */
    Resends(Consumer<Reservations.Abandon> quiet) {
        this.quiet = quiet;
    }

    /** From now on nothing that spends these coins is sent, until {@link #release}. */
    void withhold(Reservations.Abandon question) {
        withheld.add(question);
        waiting.add(question);
        answerQuiet();
    }

    void release(Reservations.Abandon question) {
        withheld.remove(question);
    }

    boolean maySend(WatchedSpend spend) {
        return withheld.stream().noneMatch(question -> touches(question, spend));
    }

    void began(WatchedSpend spend) {
        underWay.add(spend);
    }

    /** Also of a spend that is no longer watched, or watched anew. */
    void ended(WatchedSpend spend) {
        underWay.remove(spend);
        answerQuiet();
    }

    private void answerQuiet() {
        for (Iterator<Reservations.Abandon> questions = waiting.iterator(); questions.hasNext(); ) {
            Reservations.Abandon question = questions.next();
            if (underWay.stream().noneMatch(spend -> touches(question, spend))) {
                questions.remove();
                quiet.accept(question);
            }
        }
    }

    private static boolean touches(Reservations.Abandon question, WatchedSpend spend) {
        Set<Outpoint> outpoints = new HashSet<>(question.outpoints());
        return spend.spendsAnyOf(outpoints);
    }
}
