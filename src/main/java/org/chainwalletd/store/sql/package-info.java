/**
 * The money store in SQL: the session on a connection, the group commit writer, a class for the rows of each table, {@code sent.log} and the restore
 * from it, and SQLite as an engine. Contains code that both engines share, and code for SQLite only; a daemon on SQLite loads no class of
 * {@code store.postgres}.
 */
package org.chainwalletd.store.sql;
