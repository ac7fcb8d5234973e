package org.chainwalletd.net;

import java.util.Arrays;

/** The body of one answer, put together. Holds never more than the cap allows, and counts what it holds. Not thread-safe. */
class WholeBody implements HttpAnswerReader.Body {
    /** Size up to which a body is not counted: the number of connections bounds such bodies. */
    static final int FREE_BYTES = 16 * 1024;

    /** Most bytes that are allocated because of a Content-Length alone. */
    private static final int BELIEVED_BYTES = 512 * 1024;

    private final int most;
    private final ByteBudget.Share share;
    private int status;
    /** Greatest end of the body. */
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
            resize(Math.min(end, BELIEVED_BYTES));
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

    /** While it is copied the body is there twice, and counts so. */
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

    /** Body that has come, when it is complete. It counts until it is closed. */
    final HttpAnswer answer() {
        if (bytes.length != length) {
            resize(length);
        }
        return new HttpAnswer(status, bytes, share);
    }

    /** Gives up what has been read. */
    final void drop() {
        share.close();
        bytes = new byte[0];
    }
}
