/**
 * Keys and secrets, pure: Ed25519, BIP-39, SLIP-0010, Argon2id, sealed blobs, signed messages, zeroable secrets.
 *
 * <p>No actor, no clock, no I/O but the word list on the class path; randomness comes in as a {@code SecureRandom}, domain tags and
 * roles as bytes. Everyone may call it; it calls no other package of the daemon. All methods are blocking computations:
 * callers run signing and Argon2id on dispatchers of their own.
 *
 * <p><b>What is overwritten and what is not.</b> Every array that this package allocates for a seed, an entropy, a derived key, a word
 * index, a chain code or a plaintext is overwritten before the method returns or belongs to a {@link org.chainwalletd.crypto.SecretBytes}.
 * Out of reach, left to the garbage collector:
 * <ul>
 *   <li>Bouncy Castle's Ed25519 leaves the SHA-512 of the seed, the pruned scalar and the nonce scalar of each signature in arrays of its own;
 *   <li>Bouncy Castle's Argon2id overwrites its memory, but not the 64-byte prehash of the passphrase, which goes through a Blake2b state;
 *   <li>the JDK's ChaCha20-Poly1305 keeps a copy of its key, and buffers the whole ciphertext while it decrypts;
 *   <li>the JDK's SHA-2 and HMAC implementations keep the last block that they processed;
 *   <li>a moving collector may have copied any array before it was overwritten, and the operating system may have swapped it out.
 * </ul>
 */
package org.chainwalletd.crypto;
