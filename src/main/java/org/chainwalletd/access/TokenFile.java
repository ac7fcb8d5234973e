package org.chainwalletd.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.store.files.AtomicFiles;

/**
 * Named tokens in the file {@code tokens.json} of the datadir. It is written by the command line alone, whole and atomically, so a running
 * daemon and a stopped one are treated alike, a change is there or not at all whenever a process dies, and a token can be revoked when the
 * store cannot be opened. Only one change is made at a time: the second one is refused, never lost.
 */
public final class TokenFile implements TokenRows {
    /** Name in the datadir. */
    public static final String NAME = "tokens.json";

    private final Path file;

    public TokenFile(Path datadir) {
        this.file = datadir.resolve(NAME);
    }

    @Override
    public List<NamedToken> all() throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        var objection = FileAccess.of(file).objectionToContent();
        if (objection.isPresent()) {
            throw new IOException(file + " " + objection.get());
        }
        return TokenText.read(bytes, file.toString());
    }

    @Override
    public Object version() throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return Arrays.asList(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
        } catch (NoSuchFileException e) {
            return "none";
        }
    }

    /** Refuses a user who does not own the datadir: the daemon could not read the file. */
    @Override
    public void change(UnaryOperator<List<NamedToken>> change) throws IOException {
        var stranger = FileAccess.of(file.toAbsolutePath().getParent()).objectionToWriter();
        if (stranger.isPresent()) {
            throw new RefusedChange("the datadir " + file.toAbsolutePath().getParent() + " " + stranger.get());
        }
        boolean changed = AtomicFiles.alone(file, () -> {
            List<NamedToken> before = all();
            List<NamedToken> after = change.apply(before);
            if (!after.equals(before)) {
                AtomicFiles.write(file, TokenText.write(after));
            }
        });
        if (!changed) {
            throw new RefusedChange("another change of " + file + " is under way; try again");
        }
    }
}
