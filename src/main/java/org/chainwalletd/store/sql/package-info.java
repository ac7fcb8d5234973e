/**
 * The money store in SQL: the session on a connection, the writer that commits units of work in groups, a class for the rows of each table, the log
 * of what was sent with the restore from it, and SQLite as an engine. Belongs here what both engines share, and what only SQLite needs; a daemon on
 * SQLite loads nothing of {@code store.postgres}.
 */
package org.chainwalletd.store.sql;
