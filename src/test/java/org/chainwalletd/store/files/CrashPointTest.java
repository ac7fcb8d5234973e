package org.chainwalletd.store.files;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.testkit.ClassFiles;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.Test;

class CrashPointTest {
    @Test
    void every_crash_point_is_walked_by_a_test() {
        JavaClasses tests = ClassFiles.ofTheTestsWith(Walks.class);
        List<String> walked = tests.stream()
                .filter(type -> type.isAnnotatedWith(Walks.class))
                .flatMap(type ->
                        Arrays.stream(type.getAnnotationOfType(Walks.class).value()))
                .map(CrashPoint::name)
                .distinct()
                .toList();

        assertThat(walked).containsExactlyInAnyOrderElementsOf(CrashPoint.names());
    }

    @Test
    void every_crash_point_is_reached_somewhere_in_the_program() {
        JavaClasses program = ClassFiles.ofTheProgramWith(CrashPoint.class);
        Stream<String> used = program.stream()
                .filter(type -> !type.isAssignableTo(CrashPoint.class))
                .flatMap(type -> type.getFieldAccessesFromSelf().stream())
                .filter(access -> access.getTargetOwner().isAssignableTo(CrashPoint.class))
                .map(access -> access.getTarget().getName())
                .distinct();

        assertThat(used).containsExactlyInAnyOrderElementsOf(CrashPoint.names());
    }
}
