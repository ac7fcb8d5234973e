package org.chainwalletd.indexer;

/**
 * How far an indexer is.
 *
 * @param lag blocks behind its node, signed
 */
public record IndexerStatus(long lastIndexedHeight, long tipHeight, long lag, boolean fullScanComplete) {}
