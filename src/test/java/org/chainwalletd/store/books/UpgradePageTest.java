package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.store.sql.SqliteStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manual's page on upgrades lists the schema versions in the code: each new step needs a line there. */
class UpgradePageTest {
    /** Offset of {@code user_version} in an SQLite file. */
    private static final int VERSION_AT = 60;

    @TempDir
    private Path folder;

    @Test
    void the_page_has_a_line_for_each_version_of_the_store() throws IOException {
        try (SqliteStore store = SqliteStore.open(folder)) {
            assertThat(store.stopped()).isEmpty();
        }
        int newest = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(SqliteStore.FILE_NAME)))
                .getInt(VERSION_AT);

        assertThat(lines("^\\| (\\d+) \\|").stream().map(Integer::valueOf))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, newest).boxed().toList());
    }

    @Test
    void the_page_has_the_newest_version_of_each_book() throws IOException {
        Map<String, Integer> versions = new TreeMap<>(Map.of(
                BlockRows.NAME, BlockRows.STEPS.size(),
                AddressRows.NAME, AddressRows.STEPS.size(),
                BookSchema.StoreSeen.NAME, BookSchema.StoreSeen.STEPS.size()));
        List<BookTable<?, ?>> tables = List.of(
                new LedgerTable(),
                new CreditTable(page -> address -> true),
                new HtlcTable(page -> address -> true),
                new SpendingTable(page -> new SpendingTable.View(address -> true, outpoint -> true)));
        tables.forEach(table -> versions.put(table.name(), table.steps().size()));

        assertThat(lines("^(\\| `\\w+` \\| \\d+ \\|)"))
                .containsExactlyElementsOf(versions.entrySet().stream()
                        .map(book -> "| `" + book.getKey() + "` | " + book.getValue() + " |")
                        .toList());
    }

    private static List<String> lines(String pattern) throws IOException {
        List<String> found = new ArrayList<>();
        Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("src/site/markdown/upgrade.md")))
                .results()
                .forEach(line -> found.add(line.group(1)));
        return found;
    }
}
