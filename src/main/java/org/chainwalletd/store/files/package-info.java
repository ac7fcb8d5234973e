/**
 * Files that stay consistent after a kill or a power failure: replaced atomically, or appended record by record; the lock on a datadir; and the named
 * points at which a test kills the process. Contains code that writes or locks files and knows nothing of payments.
 */
package org.chainwalletd.store.files;
