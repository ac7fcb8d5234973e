/**
 * Interfaces of the money store: one narrow interface per owner behind {@link org.chainwalletd.store.Store}, with their parameter and result types.
 * Independent of database and file system: {@code store.files} writes files, {@code store.sql} keeps the tables, {@code store.postgres} shares them
 * between daemons, and {@code store.books} keeps indexes of the chain. SQL and file writing occur only in these packages; {@code keyring} writes
 * files too.
 */
package org.chainwalletd.store;
