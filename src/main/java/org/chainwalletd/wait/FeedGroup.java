package org.chainwalletd.wait;

import java.util.LinkedHashSet;
import java.util.Set;

/** Those who ask the feed of credits the same question: it is read once for all of them. Touched by {@link CreditWaits} alone. */
final class FeedGroup<A> {
    final Set<FeedWait<A>> waits = new LinkedHashSet<>();
    FeedQuestion<A> question;
    /** What the feed said last. */
    A last;
    /** Whether the feed has said it of what the books hold now. */
    boolean settled;

    FeedGroup(FeedQuestion<A> question) {
        this.question = question;
        this.last = question.nothing();
    }

    void add(FeedWait<A> wait) {
        waits.add(wait);
        wait.group = this;
    }
}
