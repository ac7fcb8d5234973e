package org.chainwalletd.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.files.AtomicFiles;

/**
 * {@code <datadir>/genesis}: genesis id of the first chain that this installation met, as 64 lower-case hex characters and a newline. Written once
 * and never changed (decisions.md, requirement 8).
 */
public final class GenesisFile {
    private final Path file;
    private final Consumer<Hash256> beforePinning;

    public GenesisFile(Path datadir) {
        this(datadir, genesis -> {});
    }

    /** @param beforePinning called with the id before it is pinned; if it throws, the id is not pinned */
    public GenesisFile(Path datadir, Consumer<Hash256> beforePinning) {
        this.file = datadir.resolve("genesis");
        this.beforePinning = beforePinning;
    }

    /**
     * Returns the pinned id; empty before first contact with a node.
     *
     * @throws IllegalStateException if the file is damaged; the message names it
     */
    public Optional<Hash256> read() {
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII);
            if (!text.matches("[0-9a-f]{64}\n") || Hash256.parse(text.strip()).isZero()) {
                throw damaged("does not hold one genesis id of 64 lower-case hex characters");
            }
            return Optional.of(Hash256.parse(text.strip()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (java.nio.charset.CharacterCodingException e) {
            throw damaged("is not text");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** Pins {@code genesis}; durable when this returns. */
    public void write(Hash256 genesis) {
        beforePinning.accept(genesis);
        try {
            AtomicFiles.write(file, (genesis.hex() + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private IllegalStateException damaged(String how) {
        return new IllegalStateException(file + " " + how
                + "; restore it from a backup, or name the chain with --expect-genesis after moving the file away");
    }
}
