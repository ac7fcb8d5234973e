package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.store.files.AtomicFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copy of {@code state.json} and the public keys in memory format, {@code wallets/state.snapshot}, so that the start of a large keyring
 * need not parse 7 MB of JSON. It is created from the bytes of {@code state.json}, never from the daemon's memory, and contains their
 * checksums. If these differ from the current file's, or the snapshot is damaged, it is ignored: only {@code state.json} lists the keys.
 *
 * <p>In big-endian order: eight bytes {@code WDSNAP1\n}; length, CRC-32 and CRC-32C of {@code state.json}; next index (8); number of keys
 * (4); number of unknown members (4), each as length and name, length and JSON; the columns (see {@link KeyColumns#writeTo}); length,
 * CRC-32 and CRC-32C of all of the preceding bytes. Blocking.
 */
public final class Snapshot {
    /** Minimum number of keys; the JSON of a smaller keyring is parsed fast enough. */
    public static final int FROM = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(Snapshot.class);
    private static final byte[] MAGIC = "WDSNAP1\n".getBytes(StandardCharsets.US_ASCII);

    private final KeyFolder folder;

    public Snapshot(KeyFolder folder) {
        this.folder = folder;
    }

    /**
     * Returns the keyring of exactly the current {@code state.json}, with the public keys known to the snapshot; empty without a matching
     * snapshot.
     */
    public Optional<KeyringView> read() {
        try (CheckedInput source = new CheckedInput(file())) {
            if (!Arrays.equals(source.bytes(MAGIC.length), MAGIC)) {
                throw new IOException("it is no snapshot of this version");
            }
            CheckedInput.Checksums described = checksums(source);
            if (!described.equals(checksumsOfState())) {
                return Optional.empty();
            }
            KeyringView view = readView(source);
            CheckedInput.Checksums read = source.checksums();
            if (source.left() != CheckedInput.Checksums.LENGTH
                    || !checksums(source).equals(read)) {
                throw new IOException("it is damaged");
            }
            return Optional.of(view);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("{} was ignored: {}", file(), e.getMessage());
            return Optional.empty();
        }
    }

    private CheckedInput.Checksums checksumsOfState() throws IOException {
        try (CheckedInput state = new CheckedInput(folder.state())) {
            return state.checksumsOfAll();
        }
    }

    private static CheckedInput.Checksums checksums(CheckedInput source) throws IOException {
        return CheckedInput.Checksums.readFrom(ByteBuffer.wrap(source.bytes(CheckedInput.Checksums.LENGTH)));
    }

    /** Writes a snapshot of the current {@code state.json}; deletes it if the keyring is small. */
    public synchronized void write() throws IOException {
        byte[] state = Files.readAllBytes(folder.state());
        KeyringView view = StateReader.read(state, new PublicKeyFiles(folder.publicKeys()).load());
        if (view.size() < FROM) {
            AtomicFiles.delete(file());
            return;
        }
        AtomicFiles.write(file(), content(state, view));
    }

    private static byte[] content(byte[] state, KeyringView view) {
        int length = MAGIC.length + CheckedInput.Checksums.LENGTH + Long.BYTES + 2 * Integer.BYTES;
        for (Map.Entry<String, byte[]> member : view.unknownMembers().entrySet()) {
            length += 2 * Integer.BYTES + utf8(member.getKey()).length + member.getValue().length;
        }
        length += view.columns().writtenLength(view.size());
        byte[] content = new byte[length + CheckedInput.Checksums.LENGTH];
        ByteBuffer target = ByteBuffer.wrap(content);
        target.put(MAGIC);
        CheckedInput.Checksums.of(state, state.length).writeTo(target);
        target.putLong(view.nextIndex())
                .putInt(view.size())
                .putInt(view.unknownMembers().size());
        view.unknownMembers().forEach((name, json) -> {
            byte[] text = utf8(name);
            target.putInt(text.length).put(text).putInt(json.length).put(json);
        });
        view.columns().writeTo(target, view.size());
        CheckedInput.Checksums.of(content, length).writeTo(target);
        return content;
    }

    private static KeyringView readView(CheckedInput source) throws IOException {
        long nextIndex = source.nextLong();
        int rows = source.nextInt();
        int members = source.nextInt();
        Map<String, byte[]> unknown = new LinkedHashMap<>();
        for (int i = 0; i < members; i++) {
            String name = new String(source.bytes(source.nextInt()), StandardCharsets.UTF_8);
            unknown.put(name, source.bytes(source.nextInt()));
        }
        return new KeyringView(KeyColumns.readFrom(source, rows), rows, nextIndex, unknown);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Path file() {
        return folder.snapshot();
    }
}
