package org.chainwalletd.devnet.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.StateTree;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;

/**
 * The genesis block of the development network (chain protocol, section 13): the same coinbase bytes for every brand word; the roots, and
 * so the id, follow from the brand's tags.
 */
public final class Genesis {
    /** 2026-03-15, in Unix seconds. */
    public static final long TIMESTAMP = 1_773_536_401L;

    private static final Transaction COINBASE = TransactionCodec.decode(coinbaseBytes());

    private Genesis() {}

    public static Block block(ChainProfile profile) {
        return block(profile, Effort.NONE);
    }

    /** Genesis block; on a chain with proof of work it has that chain's target, and so another id. It has no proof of work itself. */
    public static Block block(ChainProfile profile, Effort effort) {
        Hash256 txRoot = MerkleTree.root(profile, List.of(TransactionCodec.witnessTxId(profile, COINBASE)));
        BlockHeader header = new BlockHeader(
                BlockHeader.VERSION,
                0,
                Hash256.ZERO,
                TIMESTAMP,
                effort.firstTarget(),
                0,
                txRoot,
                state(profile).root());
        return new Block(header, List.of(COINBASE));
    }

    private static StateTree state(ChainProfile profile) {
        Outpoint outpoint = new Outpoint(TransactionCodec.txId(profile, COINBASE), 0);
        return StateTree.EMPTY.insert(
                StateTree.key(profile, outpoint),
                StateTree.leaf(COINBASE.outputs().get(0), 0, true));
    }

    private static byte[] coinbaseBytes() {
        try (InputStream in = Genesis.class.getResourceAsStream("/devnet/genesis-coinbase.hex")) {
            return HexFormat.of().parseHex(new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("the genesis coinbase cannot be read from the jar", e);
        }
    }
}
