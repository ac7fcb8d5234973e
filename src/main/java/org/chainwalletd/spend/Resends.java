package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Which bytes the {@link Rebroadcaster} is just sending, and which it may not send because the operator is giving their coins up: what was
 * given up must not reach a node a moment later. Changed only on that actor's thread.
 */
final class Resends {
    private final Consumer<Abandonments.Question> quiet;
    private final List<WatchedSpend> underWay = new ArrayList<>();
    private final List<Abandonments.Question> waiting = new ArrayList<>();
    private final List<Abandonments.Question> withheld = new ArrayList<>();

    /** @param quiet told once for each question, when nothing of it is being sent any more */
    Resends(Consumer<Abandonments.Question> quiet) {
        this.quiet = quiet;
    }

    /** From now on nothing that spends these coins is sent, until {@link #release}. */
    void withhold(Abandonments.Question question) {
        withheld.add(question);
        waiting.add(question);
        answerQuiet();
    }

    void release(Abandonments.Question question) {
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
        for (Iterator<Abandonments.Question> questions = waiting.iterator(); questions.hasNext(); ) {
            Abandonments.Question question = questions.next();
            if (underWay.stream().noneMatch(spend -> touches(question, spend))) {
                questions.remove();
                quiet.accept(question);
            }
        }
    }

    private static boolean touches(Abandonments.Question question, WatchedSpend spend) {
        return question.concerns(spend.txId(), spend.outpoints());
    }
}
