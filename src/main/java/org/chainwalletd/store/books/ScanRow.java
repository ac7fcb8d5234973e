package org.chainwalletd.store.books;

/**
 * A rescan whose rows have not joined the head yet.
 *
 * @param scan its number
 * @param fromHeight height of the first block that it reads
 */
public record ScanRow(long scan, long fromHeight) {}
