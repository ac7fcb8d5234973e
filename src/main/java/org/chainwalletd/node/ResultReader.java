package org.chainwalletd.node;

import java.io.IOException;

/** Turns the {@code result} of one answer into a value. */
@FunctionalInterface
public interface ResultReader<T> {
    /**
     * @param in stands on the first token of the result and is left on its last one
     * @throws NodeException.BadAnswer when the result has another shape
     * @throws IOException when the text is no JSON
     */
    T read(AnswerJson in) throws IOException;

    /** The same value as the word of the node at {@code url}, where that is part of it. */
    default T saidBy(String url, T value) {
        return value;
    }
}
