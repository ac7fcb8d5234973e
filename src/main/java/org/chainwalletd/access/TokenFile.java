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
 * Named tokens in the file {@code tokens.json} of the datadir. Only the command line writes it, as a whole and atomically. So it works the
 * same for a running and a stopped daemon, a change is complete or absent whenever a process dies, and a token can be revoked even if the
 * store cannot be opened. Concurrent changes are refused, never lost.
 */
public final class TokenFile implements TokenRows {
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

    /** Refuses a user who does not own the datadir, because the daemon could not read the file. */
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
