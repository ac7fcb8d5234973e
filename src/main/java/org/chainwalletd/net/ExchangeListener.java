package org.chainwalletd.net;

/** Hears what becomes of one exchange, on a thread of this package that must not be kept: what is long goes to an executor. */
public interface ExchangeListener {
    /** The answer is complete, whatever its status. The listener closes it. */
    void answered(HttpAnswer answer);

    /** There will be no answer. */
    void failed(NoAnswerException failure);

    /** The connection counts no longer. Called once, after one of the others. */
    void closed();
}
