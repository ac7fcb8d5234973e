package org.chainwalletd.store;

import org.chainwalletd.chain.Hash256;

/**
 * What an idempotency token stands for.
 *
 * @param token as the caller wrote it
 * @param digest of the canonical parameters; the same token with another digest is a conflict
 */
public record TokenBinding(String token, Hash256 digest) {}
