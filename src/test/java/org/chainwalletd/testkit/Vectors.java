package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Golden vectors: one JSON object with {@code description} and {@code vectors}, kept unchanged under {@code src/test/resources/vectors}; the ones
 * in {@code own/} were made for this project. Integers are parsed as {@link BigInteger}, so the whole range of u64 is preserved.
 */
public final class Vectors {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    private Vectors() {}

    /** Check of one row of a vector file. */
    @FunctionalInterface
    public interface Check {
        void run(JsonNode row) throws Exception;
    }

    /** Returns all rows of {@code <file>}, for example {@code keys.json}, in the order of the file; fails if there are none. */
    public static List<JsonNode> rows(String file) {
        List<JsonNode> rows = new ArrayList<>();
        try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + file)) {
            assertThat(in).as("src/test/resources/vectors/" + file).isNotNull();
            JSON.readTree(in).required("vectors").forEach(rows::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(rows).as("vectors of " + file).isNotEmpty();
        return rows;
    }

    /** Creates one dynamic test per row, named {@code <file>: <name of the row>}. */
    public static Stream<DynamicTest> tests(String file, Check check) {
        return tests(file, row -> true, check);
    }

    /** Creates one dynamic test per row that {@code wanted} accepts; fails if it accepts none. */
    public static Stream<DynamicTest> tests(String file, Predicate<JsonNode> wanted, Check check) {
        List<JsonNode> selected = rows(file).stream().filter(wanted).toList();
        assertThat(selected).as("selected vectors of " + file).isNotEmpty();
        return selected.stream()
                .map(row -> DynamicTest.dynamicTest(file + ": " + text(row, "name"), () -> check.run(row)));
    }

    /** Returns the row with this name. */
    public static JsonNode row(String file, String name) {
        return rows(file).stream()
                .filter(row -> name.equals(text(row, "name")))
                .findFirst()
                .orElseThrow(() -> new AssertionError(file + " has no vector " + name));
    }

    /** Returns a filter for rows whose text member {@code field} is {@code value}, as in {@code where("type", "sealed")}. */
    public static Predicate<JsonNode> where(String field, String value) {
        return row -> value.equals(text(row, field));
    }

    /** Returns the hexadecimal member {@code field} as bytes; null if it is JSON null. Fails if there is no such member. */
    public static byte[] bytes(JsonNode row, String field) {
        String hex = text(row, field);
        return hex == null ? null : HexFormat.of().parseHex(hex);
    }

    /** Returns the text member {@code field}; null if it is JSON null. Fails if there is no such member. */
    public static String text(JsonNode row, String field) {
        JsonNode value = row.required(field);
        return value.isNull() ? null : value.textValue();
    }

    /** Returns the exact integer member {@code field}; null if it is JSON null. Fails if there is no such member. */
    public static BigInteger integer(JsonNode row, String field) {
        JsonNode value = row.required(field);
        return value.isNull() ? null : value.bigIntegerValue();
    }

    /** Returns the integer member {@code field} as an unsigned long (0 … 2^64-1). */
    public static long u64(JsonNode row, String field) {
        BigInteger value = integer(row, field);
        assertThat(value.signum() >= 0 && value.bitLength() <= Long.SIZE)
                .as(field + " is a u64")
                .isTrue();
        return value.longValue();
    }

    /** Returns the boolean member {@code field}. Fails if there is no such member. */
    public static boolean flag(JsonNode row, String field) {
        return row.required(field).booleanValue();
    }
}
