/**
 * Persistence: files written atomically, the money store behind one narrow interface per owner, and the named crash points. SQL and file writing
 * occur only in this package and {@code keyring}.
 */
package org.chainwalletd.store;
