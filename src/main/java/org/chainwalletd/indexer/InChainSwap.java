package org.chainwalletd.indexer;

import java.util.List;
import org.chainwalletd.chain.Hash256;

/** HTLCs of one chain that share a hash lock. */
public record InChainSwap(Hash256 hashLock, List<IndexedHtlc> htlcs) {}
