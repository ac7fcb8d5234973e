/**
 * Contracts of the money store: one narrow interface per owner behind {@link org.chainwalletd.store.Store}, and the values that they take and
 * answer. Nothing here knows a database or a file: {@code store.files} writes files, {@code store.sql} keeps the tables, {@code store.postgres}
 * shares them between daemons, and {@code store.books} keeps indexes of the chain. SQL and file writing occur only in these packages, and file
 * writing also in {@code keyring}.
 */
package org.chainwalletd.store;
