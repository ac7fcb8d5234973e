package org.chainwalletd.keyring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.chainwalletd.testkit.ClassFiles;
import org.junit.jupiter.api.Test;

/** A table must be able to replace the folder (scale-out.md, section 2). */
class KeyringBoundaryTest {
    private static final Set<String> FOLDER = Set.of(
            "store.FolderStore",
            "store.KeyFolder",
            "store.StateFile",
            "store.StateReader",
            "store.StateJson",
            "store.Snapshot",
            "store.PublicKeyFiles",
            "store.RecordFiles");

    private static final Set<String> OPENERS = Set.of("InitSeeded", "Migrate$OfflineKeyring", "Keyring$Opening");

    /** Classes that open a folder, and the columns that are filled from its files. */
    private static final Set<String> BESIDE =
            Set.of("Keyring", "InitSeeded", "Migrate$OfflineKeyring", "store.KeyringView", "store.KeyColumns");

    private static final JavaClasses KEYRING = ClassFiles.ofTheProgram("org.chainwalletd.keyring");

    @Test
    void every_name_is_that_of_a_class() {
        assertThat(Stream.of(FOLDER, OPENERS, BESIDE).flatMap(Set::stream))
                .allMatch(name -> KEYRING.contain("org.chainwalletd.keyring." + name));
    }

    @Test
    void nothing_but_the_folder_knows_its_files() {
        noClasses()
                .that(are("outside the folder", type -> !isIn(FOLDER, type) && !isIn(BESIDE, type)))
                .should()
                .dependOnClassesThat(are("the folder's", type -> isIn(FOLDER, type)))
                .check(KEYRING);
    }

    @Test
    void who_opens_a_folder_knows_no_more_than_the_store() {
        noClasses()
                .that(are("openers", type -> isIn(OPENERS, type)))
                .should()
                .dependOnClassesThat(
                        are("files", type -> isIn(FOLDER, type) && !isIn(Set.of("store.FolderStore"), type)))
                .check(KEYRING);
    }

    private static DescribedPredicate<JavaClass> are(String what, Predicate<JavaClass> test) {
        return DescribedPredicate.describe(what, test);
    }

    /** Nested classes count as their outermost class, except those that are listed themselves. */
    private static boolean isIn(Set<String> classes, JavaClass type) {
        return classes.stream()
                .map("org.chainwalletd.keyring."::concat)
                .anyMatch(name -> type.getName().equals(name) || type.getName().startsWith(name + "$"));
    }
}
