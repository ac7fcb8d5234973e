package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Books written by released versions, with the expected query results, at once and after more blocks. A schema change adds a folder ({@code
 * -Dfreeze=vN} writes it) and never edits one. Rows that versions up to v12 had entered from listings are discarded and read again, so these
 * versions report less than they did ({@code expected.txt}, {@code later.txt}): see {@code unlisted.txt} and {@code unlisted-later.txt} beside them.
 */
class FrozenBooksTest {
    private static final Path FROZEN = Path.of("src/test/resources/frozen");
    private static final String NEWEST = "v13";

    @TempDir
    Path folder;

    private final BooksSample sample = new BooksSample();

    @ParameterizedTest
    @CsvSource({
        "v10, unlisted.txt, unlisted-later.txt",
        "v11, unlisted.txt, unlisted-later.txt",
        "v12, unlisted.txt, unlisted-later.txt",
        "v13, expected.txt, later.txt"
    })
    void books_of_an_older_version_open_with_all_that_blocks_have_told_and_continue(
            String version, String expected, String later) throws IOException {
        Path frozen = FROZEN.resolve(version).resolve("books");
        Files.copy(frozen.resolve(Books.FILE_NAME), folder.resolve(Books.FILE_NAME));
        try (Books file = Books.open(folder, sample.tables())) {
            assertThat(sample.read(file, 4, 1)).isEqualTo(Files.readString(frozen.resolve(expected)));
            sample.goOn(file);
            assertThat(sample.read(file, 4, 2)).isEqualTo(Files.readString(frozen.resolve(later)));
        }
    }

    @Test
    void the_newest_sample_is_what_this_version_writes() throws IOException {
        boolean freeze = System.getProperty("freeze") != null;
        Path frozen = FROZEN.resolve(System.getProperty("freeze", NEWEST)).resolve("books");
        try (Books file = Books.open(folder, sample.tables())) {
            sample.write(file);
        }
        if (freeze) {
            Files.createDirectories(frozen);
            Files.copy(folder.resolve(Books.FILE_NAME), frozen.resolve(Books.FILE_NAME));
        }
        try (Books file = Books.open(folder, sample.tables())) {
            String told = sample.read(file, 4, 1);
            sample.goOn(file);
            String later = sample.read(file, 4, 2);
            if (freeze) {
                Files.writeString(frozen.resolve("expected.txt"), told);
                Files.writeString(frozen.resolve("later.txt"), later);
            }
            assertThat(told).isEqualTo(Files.readString(frozen.resolve("expected.txt")));
            assertThat(later).isEqualTo(Files.readString(frozen.resolve("later.txt")));
        }
    }
}
