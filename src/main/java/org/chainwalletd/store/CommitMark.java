package org.chainwalletd.store;

/**
 * Identifies a commit of a store. {@code sent.log} and the books record such marks; a store that lacks a recorded commit has lost payments.
 *
 * @param store id of the store, 32 hexadecimal digits
 * @param opening random number of the opening of the store in which the commit was made; {@link #BEFORE_OPENINGS} for commits of releases that did
 *     not distinguish openings
 * @param number of the commit, counted from 1 over the lifetime of the store
 */
public record CommitMark(String store, long opening, long number) {
    public static final long BEFORE_OPENINGS = 0;
}
