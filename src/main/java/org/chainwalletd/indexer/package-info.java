/**
 * Calls to indexers: typed calls with the rotation, failover and caps of the calls to nodes. Everything that comes from
 * here is hearsay about the whole chain; nothing that moves funds rests on it.
 */
package org.chainwalletd.indexer;
