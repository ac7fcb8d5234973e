package org.chainwalletd.chain;

/**
 * The 156-byte header of a block (chain protocol, section 9.1).
 *
 * @param version unsigned 32-bit, currently 1
 * @param height unsigned
 * @param timestamp Unix seconds, unsigned
 * @param target big-endian number; the proof-of-work hash must be below it
 * @param nonce unsigned
 * @param txRoot root of the transaction tree
 * @param stateRoot root of the state tree after the block
 */
public record BlockHeader(
        long version,
        long height,
        Hash256 previousId,
        long timestamp,
        Hash256 target,
        long nonce,
        Hash256 txRoot,
        Hash256 stateRoot) {
    public static final int LENGTH = 156;
    public static final int VERSION = 1;

    public BlockHeader {
        if (version < 0 || version > 0xffff_ffffL) {
            throw new IllegalArgumentException("version " + version + " is not an unsigned 32-bit number");
        }
    }

    public byte[] encode() {
        return new ByteWriter(LENGTH)
                .u32(version)
                .u64(height)
                .raw(previousId.unsafe())
                .u64(timestamp)
                .raw(target.unsafe())
                .u64(nonce)
                .raw(txRoot.unsafe())
                .raw(stateRoot.unsafe())
                .finish();
    }

    /**
     * @throws DecodeException unless there are exactly 156 bytes
     */
    public static BlockHeader decode(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        BlockHeader header = read(in);
        in.end("block header");
        return header;
    }

    static BlockHeader read(ByteReader in) {
        in.require(LENGTH, "block header");
        return new BlockHeader(
                in.u32("version"),
                in.u64("height"),
                in.hash("previous block id"),
                in.u64("timestamp"),
                in.hash("target"),
                in.u64("nonce"),
                in.hash("transaction root"),
                in.hash("state root"));
    }

    /** Returns the block id: plain SHA-256 of the header. */
    public Hash256 id() {
        return Hash256.sha256(encode());
    }

    public BlockHeader withNonce(long newNonce) {
        return new BlockHeader(version, height, previousId, timestamp, target, newNonce, txRoot, stateRoot);
    }

    /** Returns the password of the proof-of-work Argon2id (section 9.5). */
    public Hash256 powPassword(ChainProfile profile) {
        return profile.hash(DomainTag.POW_P, encode());
    }

    /** Returns the salt of the proof-of-work Argon2id (section 9.5). */
    public Hash256 powSalt(ChainProfile profile) {
        return profile.hash(DomainTag.POW_S, encode());
    }

    /** Tests whether this proof-of-work hash is strictly below the target. */
    public boolean isMetBy(Hash256 powHash) {
        return powHash.compareTo(target) < 0;
    }
}
