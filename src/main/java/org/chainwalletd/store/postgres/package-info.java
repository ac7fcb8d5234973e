/**
 * PostgreSQL as the engine of the money store, shared by several daemons: connections and failover, membership, the lease on background work, the
 * rows of a shared keyring, and the move of a store in a file into a database. Belongs here what only a daemon with {@code --store} needs.
 */
package org.chainwalletd.store.postgres;
