/**
 * Storage of a keyring: sealed blobs by place, {@code state.json} with the public keys and notes beside it, and their representation in
 * memory. Implemented on a folder ({@link org.chainwalletd.keyring.store.FolderStore}) and on a database; used through {@link
 * org.chainwalletd.keyring.store.KeyringStore}.
 */
package org.chainwalletd.keyring.store;
