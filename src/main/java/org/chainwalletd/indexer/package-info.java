/**
 * Calls to indexers: typed calls with the same rotation, failover and limits as calls to nodes. Answers of indexers are unverified data about the
 * whole chain; nothing that moves funds relies on them.
 */
package org.chainwalletd.indexer;
