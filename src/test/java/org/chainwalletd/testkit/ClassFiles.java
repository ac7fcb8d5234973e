package org.chainwalletd.testkit;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.chainwalletd.Main;

/**
 * Compiled classes for architecture rules, read without the classes of the libraries that they use, which would take five times as long. Use
 * {@link #isA} for questions about library types. A result that is stored in a static field stays in memory until the last test.
 */
public final class ClassFiles {
    private static final Path PROGRAM = folderOf(Main.class);
    private static final Path TESTS = folderOf(ClassFiles.class);

    private ClassFiles() {}

    public static JavaClasses ofTheProgram() {
        return read(PROGRAM, file -> true);
    }

    /** Returns the program's classes in one package and its subpackages. */
    public static JavaClasses ofTheProgram(String packageName) {
        return read(PROGRAM.resolve(packageName.replace('.', '/')), file -> true);
    }

    /** Returns the program's classes that refer to {@code type}, and that type itself. */
    public static JavaClasses ofTheProgramWith(Class<?> type) {
        return read(PROGRAM, file -> names(file, type));
    }

    public static JavaClasses ofTheTests() {
        return read(TESTS, file -> true);
    }

    /** Returns the test classes that refer to {@code type}, and that type itself. */
    public static JavaClasses ofTheTestsWith(Class<?> type) {
        return read(TESTS, file -> names(file, type));
    }

    /** Whether a class, possibly of a library, is {@code type} or a subtype of it; it is loaded but not initialised. */
    public static boolean isA(JavaClass used, Class<?> type) {
        return type.isAssignableFrom(used.reflect());
    }

    private static JavaClasses read(Path folder, Predicate<Path> which) {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(file -> file.toString().endsWith(".class"))
                    .filter(which)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter().importPaths(files);
        });
    }

    private static boolean names(Path file, Class<?> type) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                    .contains(type.getName().replace('.', '/'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path folderOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
