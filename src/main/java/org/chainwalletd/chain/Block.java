package org.chainwalletd.chain;

import java.util.List;

/**
 * A block: header, transaction count, transactions (chain protocol, section 9.1).
 *
 * @param transactions the coinbase first
 */
public record Block(BlockHeader header, List<Transaction> transactions) {
    private static final int COUNT_BYTES = 4;

    /** Maximum length of all transactions of a block together. */
    public static final int MAX_TRANSACTIONS_BYTES = ChainProfile.MAX_BLOCK_BYTES - BlockHeader.LENGTH - COUNT_BYTES;
    /** Number of transactions that no block exceeds. */
    public static final int MAX_TRANSACTIONS = MAX_TRANSACTIONS_BYTES / TransactionCodec.SHORTEST_BYTES;

    public Block {
        transactions = List.copyOf(transactions);
    }

    /**
     * @throws IllegalArgumentException when a transaction cannot be encoded
     */
    public byte[] encode() {
        ByteWriter out = new ByteWriter(length());
        out.raw(header.encode()).u32(transactions.size());
        for (Transaction tx : transactions) {
            out.raw(TransactionCodec.encode(tx));
        }
        return out.finish();
    }

    /**
     * Decodes a block strictly, like {@link TransactionCodec#decode}.
     *
     * @throws DecodeException unless {@code bytes} are exactly one block of at most 4,194,304 bytes
     */
    public static Block decode(byte[] bytes) {
        if (bytes.length > ChainProfile.MAX_BLOCK_BYTES) {
            throw new DecodeException(
                    ChainProfile.MAX_BLOCK_BYTES,
                    "block too long: " + bytes.length + " bytes (max " + ChainProfile.MAX_BLOCK_BYTES + ")");
        }
        ByteReader in = new ByteReader(bytes);
        BlockHeader header = BlockHeader.read(in);
        List<Transaction> transactions = TransactionCodec.readSequence(in, in.u32("transaction count"));
        in.end("block");
        return new Block(header, transactions);
    }

    public Hash256 id() {
        return header.id();
    }

    /** Computes the transaction tree root that the header should contain. */
    public Hash256 computeTxRoot(ChainProfile profile) {
        return MerkleTree.root(
                profile,
                transactions.stream()
                        .map(tx -> TransactionCodec.witnessTxId(profile, tx))
                        .toList());
    }

    /** Length of {@link #encode}, without building it. */
    public long length() {
        long length = BlockHeader.LENGTH + COUNT_BYTES;
        for (Transaction tx : transactions) {
            length += TransactionCodec.length(tx);
        }
        return length;
    }
}
