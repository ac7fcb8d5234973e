package org.chainwalletd.devnet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.ledger.BlockArchive;
import org.chainwalletd.store.AppendLog;

/**
 * The chain on disk: {@code blocks.log} in the node's folder. A record is {@code 01 ‖ block} or, before the blocks of another branch,
 * {@code 02 ‖ u32le number of blocks that go}. The title names brand and genesis, so that a folder of another chain is refused.
 */
final class BlockLog implements BlockArchive, AutoCloseable {
    private static final String FILE = "blocks.log";
    private static final byte BLOCK = 1;
    private static final byte DISCONNECT = 2;

    private final AppendLog log;

    private BlockLog(AppendLog log) {
        this.log = log;
    }

    /** Takes the recorded history in order. */
    interface History {
        void connect(Block block);

        void disconnect(int depth);
    }

    /**
     * Opens or makes the log in {@code folder} and replays it.
     *
     * @throws IOException when it is damaged, in use, or of another chain; the message says what to do
     */
    static BlockLog open(Path folder, ChainProfile profile, Hash256 genesisId, History history) throws IOException {
        byte[] title = ("devnet blocks 1 " + profile.brand() + " " + genesisId).getBytes(StandardCharsets.UTF_8);
        return new BlockLog(AppendLog.open(folder.resolve(FILE), title, record -> replay(record, history)));
    }

    private static void replay(byte[] record, History history) throws IOException {
        byte[] body = Arrays.copyOfRange(record, Math.min(1, record.length), record.length);
        if (record.length > 1 && record[0] == BLOCK) {
            history.connect(Block.decode(body));
        } else if (record.length == 1 + Integer.BYTES && record[0] == DISCONNECT) {
            history.disconnect(
                    ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getInt());
        } else {
            throw new IOException("unknown kind of record");
        }
    }

    @Override
    public void append(Block block) {
        byte[] encoded = block.encode();
        write(ByteBuffer.allocate(1 + encoded.length).put(BLOCK).put(encoded));
    }

    @Override
    public void disconnect(int depth) {
        write(ByteBuffer.allocate(1 + Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(DISCONNECT)
                .putInt(depth));
    }

    private void write(ByteBuffer record) {
        try {
            log.append(record.array());
        } catch (IOException e) {
            throw new UncheckedIOException("the development chain cannot be written", e);
        }
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
