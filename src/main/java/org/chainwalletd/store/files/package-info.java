/**
 * Files that a kill or a power cut leaves whole: replaced atomically, or appended record by record; the lock on a datadir; and the named places at
 * which a test kills the process. Belongs here what writes or locks files and knows nothing of payments.
 */
package org.chainwalletd.store.files;
