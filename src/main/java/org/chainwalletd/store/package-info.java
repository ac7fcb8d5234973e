/**
 * What survives a restart: files written atomically, the SQLite store behind one narrow interface per owner, and the named crash points.
 * No SQL and no file writing outside this package and {@code keyring}.
 */
package org.chainwalletd.store;
