package org.chainwalletd.access;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.store.AtomicFiles;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.Json;
import org.chainwalletd.wire.WireException;

/**
 * Named tokens in the file {@code tokens.json} of the datadir. It is written by the command line alone, whole and atomically, so a running
 * daemon and a stopped one are treated alike, a change is there or not at all whenever a process dies, and a token can be revoked when the
 * store cannot be opened. Only one change is made at a time: the second one is refused, never lost.
 */
public final class TokenFile implements TokenRows {
    /** Name in the datadir. */
    public static final String NAME = "tokens.json";

    private static final int VERSION = 1;
    private static final ObjectMapper READER = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Binder<Content> BINDER = Binder.strict(Content.class);

    private final Path file;

    public TokenFile(Path datadir) {
        this.file = datadir.resolve(NAME);
    }

    private record Content(long version, List<NamedToken> tokens) {}

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
        return read(bytes);
    }

    private List<NamedToken> read(byte[] bytes) throws IOException {
        try {
            Content content = BINDER.bind(READER.readTree(bytes));
            if (content.version() != VERSION) {
                throw new IOException(file + " has version " + content.version()
                        + ", written by a newer release; this one knows " + VERSION);
            }
            Set<String> names = new HashSet<>();
            Set<Hash256> values = new HashSet<>();
            for (NamedToken token : content.tokens()) {
                boolean fresh = names.add(token.name())
                        && token.values().stream().allMatch(value -> values.add(value.sha256()));
                if (!fresh || NamedToken.objectionTo(token.name()).isPresent()) {
                    throw new IOException(file + " is damaged: " + token.name() + " stands there twice, or is no name");
                }
            }
            return content.tokens();
        } catch (WireException | com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IOException(file + " is damaged: " + e.getMessage(), e);
        }
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

    @Override
    public void add(NamedToken token) throws IOException {
        change(rows -> {
            if (rows.stream().anyMatch(row -> row.name().equals(token.name()))) {
                throw new RefusedChange("the name " + token.name()
                        + " was used before, and a name is never used again: its payments are told by it");
            }
            List<NamedToken> next = new ArrayList<>(rows);
            next.add(token);
            return next;
        });
    }

    @Override
    public void rotate(String name, Hash256 sha256, long now, long overlapEnds) throws IOException {
        replace(name, row -> {
            if (row.revokedAt().isPresent()) {
                throw new RefusedChange("the token " + name + " is revoked: create one with another name");
            }
            return row.rotated(sha256, now, overlapEnds);
        });
    }

    @Override
    public void revoke(String name, long now) throws IOException {
        replace(name, row -> row.revokedAt().isPresent() ? row : row.revoked(now));
    }

    private void replace(String name, UnaryOperator<NamedToken> change) throws IOException {
        change(rows -> {
            if (rows.stream().noneMatch(row -> row.name().equals(name))) {
                throw new RefusedChange("there is no token " + name + "; token list shows all");
            }
            return rows.stream()
                    .map(row -> row.name().equals(name) ? change.apply(row) : row)
                    .toList();
        });
    }

    /** Refuses a user who does not own the datadir: the daemon could not read the file. */
    private void change(UnaryOperator<List<NamedToken>> change) throws IOException {
        var stranger = FileAccess.of(file.toAbsolutePath().getParent()).objectionToWriter();
        if (stranger.isPresent()) {
            throw new RefusedChange("the datadir " + file.toAbsolutePath().getParent() + " " + stranger.get());
        }
        boolean changed = AtomicFiles.alone(file, () -> {
            List<NamedToken> before = all();
            List<NamedToken> after = change.apply(before);
            if (!after.equals(before)) {
                AtomicFiles.write(file, Json.write(new Content(VERSION, after)));
            }
        });
        if (!changed) {
            throw new RefusedChange("another change of " + file + " is under way; try again");
        }
    }
}
