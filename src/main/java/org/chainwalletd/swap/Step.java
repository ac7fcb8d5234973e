package org.chainwalletd.swap;

/** What a swap does next. Before each, its act is durable. */
public sealed interface Step {
    /** The quote cannot be executed any more. */
    record Expire() implements Step {}

    /** Our lock leaves, or leaves again, as the same bytes. */
    record SendLock() implements Step {}

    /** Our lock is in no block and not wanted any more: what it spends goes back to ourselves. */
    record AbandonLock(String why) implements Step {}

    /** The secret may leave from now on; the claim follows. */
    record Reveal() implements Step {}

    /** Our claim leaves, or leaves again. */
    record PushClaim() implements Step {}

    /** Our lock is taken back. */
    record TakeBack() implements Step {}
}
