/**
 * Keys and secrets, pure: Ed25519, secp256k1, BIP-32, BIP-39, SLIP-0010, Argon2id, Keccak, sealed blobs, signed messages, erasable secrets.
 *
 * <p>No actor, no clock, and no I/O except the word list on the class path; randomness is passed in as a {@code SecureRandom}, domain tags and
 * roles as bytes. Any package may use it; it uses no other package of the daemon. All methods are blocking computations: callers run signing and
 * Argon2id on dedicated dispatchers.
 *
 * <p><b>Erasure of secrets.</b> Every array that this package allocates for a seed, an entropy, a derived key, a word index, a chain code or a
 * plaintext is overwritten before the method returns, or belongs to a {@link org.chainwalletd.crypto.SecretBytes}. The buffers of the JDK's
 * digests, HMAC and ChaCha20 are overwritten by resetting or rekeying them; a test searches the heap dump of a process that has used and closed its
 * secrets. The following cannot be overwritten and is left to the garbage collector:
 * <ul>
 * <li>Bouncy Castle's Ed25519 leaves the SHA-512 of the seed and the scalars of each signature in its own arrays, which suffice to sign, but not to
 * recover the seed;
 * <li>Bouncy Castle's secp256k1 computes with immutable numbers, so copies of the scalar and of nonces stay;
 * <li>Bouncy Castle's Argon2id leaves the Blake2b prehash of the passphrase;
 * <li>a moving collector may have copied any array before it was overwritten, compiled code may have spilt it to the stack, and the operating
 * system may have swapped it out.
 * </ul>
 */
package org.chainwalletd.crypto;
