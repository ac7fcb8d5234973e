package org.chainwalletd.net;

import java.util.Arrays;

/** Collects the body of one answer. Never buffers more than the limit, and counts it against the budget. Not thread-safe. */
class WholeBody implements HttpAnswerReader.Body {
    /** Size up to which a body does not count against the budget: the number of connections limits such bodies. */
    static final int FREE_BYTES = 16 * 1024;

    /** Maximum number of bytes allocated on the strength of a Content-Length alone. */
    private static final int MAX_PREALLOCATED_BYTES = 512 * 1024;

    private final int most;
    private final ByteBudget.Share share;
    private int status;
    /** Maximum length of the body: as announced, otherwise the limit. */
    private int end;

    private byte[] bytes = {};
    private int length;

    WholeBody(ExchangeLimits limits) {
        this.most = limits.answerBytes();
        this.end = most;
        this.share = limits.budget().share();
    }

    @Override
    public final void begin(int answered, long announced) {
        status = answered;
        if (announced >= 0) {
            checkCap(announced);
            end = (int) announced;
            resize(Math.min(end, MAX_PREALLOCATED_BYTES));
        }
    }

    @Override
    public final void expect(long more) {
        checkCap(more);
    }

    @Override
    public final void append(byte[] piece, int from, int count) {
        checkCap(count);
        int needed = length + count;
        if (needed > bytes.length) {
            long grown = Math.max(FREE_BYTES, 2L * bytes.length);
            resize(Math.max(needed, (int) Math.min(grown, end)));
        }
        System.arraycopy(piece, from, bytes, length, count);
        length = needed;
    }

    private void checkCap(long more) {
        if (more > most - length) {
            throw new HttpAnswerReader.MalformedException("the answer is longer than " + most + " bytes");
        }
    }

    /** Resizes the buffer. While it is copied, both buffers exist and both count. */
    private void resize(int to) {
        if (to > FREE_BYTES && !share.tryGrow(to)) {
            throw new HttpAnswerReader.MalformedException(
                    "no room for an answer of " + to + " bytes beside the others");
        }
        int before = bytes.length;
        bytes = Arrays.copyOf(bytes, to);
        if (before > FREE_BYTES) {
            share.shrink(before);
        }
    }

    /** Returns the complete answer, which counts against the budget until it is closed. */
    final HttpAnswer answer() {
        if (bytes.length != length) {
            resize(length);
        }
        return new HttpAnswer(status, bytes, share);
    }

    /** Drops what has been read. */
    final void drop() {
        share.close();
        bytes = new byte[0];
    }
}
