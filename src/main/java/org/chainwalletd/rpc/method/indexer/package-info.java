/**
 * The methods that an indexer answers for addresses of others (interface.md, section 4.10). Where the daemon or its node can answer, they
 * do so without one.
 */
package org.chainwalletd.rpc.method.indexer;
