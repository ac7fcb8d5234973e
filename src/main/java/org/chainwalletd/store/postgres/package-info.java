/**
 * PostgreSQL as the engine of the money store, shared by several daemons: connections and failover, membership, the lease on background work, the
 * rows of a shared keyring, and moving a store from a file into a database and back. Contains only code needed by a daemon with {@code --store}.
 */
package org.chainwalletd.store.postgres;
