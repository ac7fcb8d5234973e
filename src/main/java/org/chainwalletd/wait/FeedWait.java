package org.chainwalletd.wait;

/** One who waits for the feed of credits to have an answer. Touched by {@link CreditWaits} alone. */
final class FeedWait<A> extends Wait<A> {
    final FeedQuestion<A> question;
    final WaitMetrics metrics;
    /** Those with the same question; null before and after. */
    FeedGroup<A> group;
    /** Whether its address is watched because of it. */
    boolean watches;

    FeedWait(FeedQuestion<A> question, WaitMetrics metrics, long began, long due) {
        super(began, due);
        this.question = question;
        this.metrics = metrics;
    }
}
