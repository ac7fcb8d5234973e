/** Answers the methods that an indexer answers for addresses of others (interface.md, section 4.10). */
package org.chainwalletd.rpc.method.indexer;
