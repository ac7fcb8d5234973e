package org.chainwalletd.indexer;

import org.chainwalletd.wire.I64;

/**
 * How far an indexer is.
 *
 * @param lag blocks behind its node, signed
 */
public record IndexerStatus(
        long lastIndexedHeight, long tipHeight, @I64 long lag, boolean fullScanComplete) {}
