package org.chainwalletd.devnet.ledger;

import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;

/** Proof of work that a development chain requires, and the network it reports. */
public enum Effort {
    /** Every hash meets the target, and no target is ever adjusted. */
    NONE(Network.DEVNET, Difficulty.EASIEST),
    /** The easiest that the test network allows, 2^252: about 16 hashes for a block (chain protocol, section 9.5). */
    WORK(Network.TESTNET, Hash256.parse("10" + "00".repeat(31))),
    /** Every second hash meets the target, 2^255, which such a chain begins with and keeps for its first 4,320 blocks. */
    LITTLE(Network.TESTNET, Hash256.parse("80" + "00".repeat(31)));

    private static final Argon2 COST = new Argon2(65_536, 2, 1);
    /** Nonces of a branch begin at its number times this. */
    private static final int BRANCH_BITS = 32;

    private final Network network;
    private final Hash256 firstTarget;

    Effort(Network network, Hash256 firstTarget) {
        this.network = network;
        this.firstTarget = firstTarget;
    }

    public Network network() {
        return network;
    }

    /** The target of the genesis block. */
    Hash256 firstTarget() {
        return firstTarget;
    }

    /** Whether blocks require proof of work and targets are adjusted by timestamps. */
    boolean isReal() {
        return this != NONE;
    }

    /** The number of the branch that a block of this nonce was mined on. */
    long branch(long nonce) {
        return isReal() ? nonce >>> BRANCH_BITS : nonce;
    }

    /** The first nonce that is tried on a branch. */
    long firstNonce(long branch) {
        return isReal() ? branch << BRANCH_BITS : branch;
    }

    /**
     * Returns the header with the first nonce, counted from the header's own, whose hash meets the target ({@code worked}) or misses it
     * (not {@code worked}). Finding work takes a second or two with {@link #WORK}.
     */
    static BlockHeader sealed(ChainProfile profile, BlockHeader header, boolean worked) {
        BlockHeader candidate = header;
        while (candidate.isMetBy(hash(profile, candidate)) != worked) {
            candidate = candidate.withNonce(candidate.nonce() + 1);
        }
        return candidate;
    }

    private static Hash256 hash(ChainProfile profile, BlockHeader header) {
        try (SecretBytes hash = COST.derive(
                header.powPassword(profile).toArray(), header.powSalt(profile).toArray())) {
            return Hash256.of(hash.copy());
        }
    }
}
