/**
 * Keys and secrets, pure: Ed25519, secp256k1, BIP-32, BIP-39, SLIP-0010, Argon2id, Keccak, sealed blobs, signed messages, zeroable secrets.
 *
 * <p>No actor, no clock, no I/O but the word list on the class path; randomness comes in as a {@code SecureRandom}, domain tags and
 * roles as bytes. Everyone may call it; it calls no other package of the daemon. All methods are blocking computations:
 * callers run signing and Argon2id on dispatchers of their own.
 *
 * <p><b>What is overwritten and what is not.</b> Every array that this package allocates for a seed, an entropy, a derived key, a word
 * index, a chain code or a plaintext is overwritten before the method returns, or belongs to a
 * {@link org.chainwalletd.crypto.SecretBytes}. The buffers of the JDK's digests, HMAC and ChaCha20 are overwritten by resetting or keying them
 * anew; a test searches the heap dump of a process that has used and closed its secrets. Out of reach, left to the garbage collector:
 * <ul>
 *   <li>Bouncy Castle's Ed25519 leaves the SHA-512 of the seed and the scalars of each signature in arrays of its own, and who has those can
 *       sign, though not tell the seed;
 *   <li>Bouncy Castle's secp256k1 computes with numbers that cannot be overwritten: copies of the scalar and of nonces stay;
 *   <li>Bouncy Castle's Argon2id leaves the Blake2b prehash of the passphrase;
 *   <li>a moving collector may have copied any array before it was overwritten, compiled code may have spilt it to the stack, and the
 *       operating system may have swapped it out.
 * </ul>
 */
package org.chainwalletd.crypto;
