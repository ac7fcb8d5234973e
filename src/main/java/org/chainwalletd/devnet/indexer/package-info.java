/**
 * The development node's small indexer: what it extracts from the blocks of the ledger, and its JSON-RPC with the texts and quirks of a
 * real one (indexer.md). Started by {@code devnet} only, on a separate listener.
 */
package org.chainwalletd.devnet.indexer;
