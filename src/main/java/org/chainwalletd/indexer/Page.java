package org.chainwalletd.indexer;

import java.util.List;

/**
 * A part of a longer list.
 *
 * @param next cursor of the next page, opaque; null on the last page
 */
public record Page<T>(List<T> items, String next) {}
