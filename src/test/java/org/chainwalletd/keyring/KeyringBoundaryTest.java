package org.chainwalletd.keyring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.Set;
import java.util.function.Predicate;
import org.chainwalletd.testkit.ClassFiles;
import org.junit.jupiter.api.Test;

/** A table must be able to stand in the place of the folder (scale-out.md, section 2). */
class KeyringBoundaryTest {
    private static final Set<Class<?>> FOLDER = Set.of(
            FolderStore.class,
            FolderUpkeep.class,
            KeyFolder.class,
            KeyRecords.class,
            StateFile.class,
            StateReader.class,
            StateScanner.class,
            StateJson.class,
            Snapshot.class,
            PublicKeyFiles.class,
            KeyNoteFiles.class,
            RecordFiles.class);
    /** What opens a folder, and the columns that are filled from its files. */
    private static final Set<Class<?>> BESIDE = Set.of(
            Keyring.class,
            Keyring.Opening.class,
            InitSeeded.class,
            OfflineKeyring.class,
            KeyringView.class,
            KeyColumns.class);

    private static final JavaClasses KEYRING = ClassFiles.ofTheProgram("org.chainwalletd.keyring");

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
                .that(are(
                        "openers",
                        type -> isIn(Set.of(InitSeeded.class, OfflineKeyring.class, Keyring.Opening.class), type)))
                .should()
                .dependOnClassesThat(are("files", type -> isIn(FOLDER, type) && !isIn(Set.of(FolderStore.class), type)))
                .check(KEYRING);
    }

    private static DescribedPredicate<JavaClass> are(String what, Predicate<JavaClass> test) {
        return DescribedPredicate.describe(what, test);
    }

    /** Nested classes count as their outermost one, but for those that are named themselves. */
    private static boolean isIn(Set<Class<?>> classes, JavaClass type) {
        return classes.stream()
                .map(Class::getName)
                .anyMatch(name -> type.getName().equals(name) || type.getName().startsWith(name + "$"));
    }
}
