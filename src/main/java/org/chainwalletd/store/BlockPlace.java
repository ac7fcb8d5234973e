package org.chainwalletd.store;

import org.chainwalletd.chain.Hash256;

/** A block of the best chain, as a node named it. Heights are unsigned 64-bit on the chain and never near 2^63. */
public record BlockPlace(long height, Hash256 blockId) {}
