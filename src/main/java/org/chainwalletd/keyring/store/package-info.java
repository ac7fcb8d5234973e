/**
 * Everything that is kept of a keyring: sealed blobs by their places, {@code state.json} and the public keys and notes beside it, and the same in
 * memory. A folder keeps it ({@link org.chainwalletd.keyring.store.FolderStore}); whoever needs it asks a
 * {@link org.chainwalletd.keyring.store.KeyringStore}.
 */
package org.chainwalletd.keyring.store;
