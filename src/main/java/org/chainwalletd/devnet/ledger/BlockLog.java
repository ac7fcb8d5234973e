package org.chainwalletd.devnet.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.chainwalletd.chain.Block;
import org.chainwalletd.store.files.AppendLog;

/**
 * The chain on disk: {@code blocks.log} in the node's folder. A record is {@code 01 ‖ block} or, before the blocks of another branch,
 * {@code 02 ‖ u32le number of disconnected blocks}. The title names brand and genesis, so that a folder of another chain is refused.
 */
public final class BlockLog implements AutoCloseable {
    private static final String FILE = "blocks.log";
    private static final byte BLOCK = 1;
    private static final byte DISCONNECT = 2;

    /** Null for a chain that is kept in memory only. */
    private final AppendLog log;

    private BlockLog(AppendLog log) {
        this.log = log;
    }

    /** Keeps nothing. */
    public static BlockLog inMemory() {
        return new BlockLog(null);
    }

    /**
     * Opens or creates the log in {@code folder} and replays it.
     *
     * @throws IOException when it is damaged, in use, or of another chain; the message says what to do
     */
    public static BlockLog open(Path folder, Ledger ledger) throws IOException {
        byte[] title = ("devnet blocks 1 " + ledger.profile().brand() + " " + ledger.genesisId())
                .getBytes(StandardCharsets.UTF_8);
        return new BlockLog(AppendLog.open(folder.resolve(FILE), title, record -> replay(record, ledger)));
    }

    private static void replay(byte[] record, Ledger ledger) throws IOException {
        byte[] body = Arrays.copyOfRange(record, Math.min(1, record.length), record.length);
        if (record.length > 1 && record[0] == BLOCK) {
            ledger.restore(Block.decode(body));
        } else if (record.length == 1 + Integer.BYTES && record[0] == DISCONNECT) {
            ledger.restoreDisconnect(
                    ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getInt());
        } else {
            throw new IOException("unknown kind of record");
        }
    }

    /** Records a block that is about to become the tip. */
    void append(Block block) {
        byte[] encoded = block.encode();
        write(ByteBuffer.allocate(1 + encoded.length).put(BLOCK).put(encoded));
    }

    /** Records that the last {@code depth} blocks are about to be disconnected. */
    void disconnect(int depth) {
        write(ByteBuffer.allocate(1 + Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(DISCONNECT)
                .putInt(depth));
    }

    private void write(ByteBuffer record) {
        try {
            if (log != null) {
                log.append(record.array());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the development chain cannot be written", e);
        }
    }

    @Override
    public void close() throws IOException {
        if (log != null) {
            log.close();
        }
    }
}
