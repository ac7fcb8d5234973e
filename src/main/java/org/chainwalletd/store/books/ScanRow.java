package org.chainwalletd.store.books;

/**
 * A rescan that has not joined the head yet.
 *
 * @param scan its number
 * @param fromHeight the first block that it reads
 */
public record ScanRow(long scan, long fromHeight) {}
