package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.wire.Shapes;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Compares the registry with the specification's table of scopes. */
class ScopeTableTest {
    /** Methods that are not implemented yet. An implemented method must be removed from this set. */
    private static final Set<String> NOT_THERE_YET = Set.of();

    private final Map<String, String> specified = specified();

    private static Map<String, String> specified() {
        try (InputStream table = ScopeTableTest.class.getResourceAsStream("/spec/scopes.txt")) {
            return new String(table.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" "))
                    .collect(Collectors.toMap(row -> row[1], row -> row[0]));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void every_method_has_the_scope_of_the_specification() {
        Map<String, String> registered = AllMethods.registry().methods().stream()
                .collect(Collectors.toMap(
                        RpcMethod::name, method -> method.scope().word()));
        assertThat(specified).containsAllEntriesOf(registered);
        assertThat(NOT_THERE_YET).as("what is there leaves the list").doesNotContainAnyElementsOf(registered.keySet());
        assertThat(specified.keySet())
                .as("what is specified is there or named as missing")
                .allMatch(name -> registered.containsKey(name) || NOT_THERE_YET.contains(name));
    }

    @TestFactory
    List<DynamicTest> parameters_can_be_bound_and_results_written() {
        return AllMethods.registry().methods().stream()
                .map(method -> DynamicTest.dynamicTest(method.name(), () -> {
                    RegisteredMethod<?, ?> registered = new RegisteredMethod<>(method);
                    assertThat(registered.binder()).isNotNull();
                    assertThat(registered.writer()).isNotNull();
                    assertThat(method.summary()).isNotBlank();
                    assertThat(Shapes.membersOf(method.params()))
                            .allSatisfy(
                                    member -> assertThat(member.shape().words()).isNotEqualTo("any"));
                }))
                .toList();
    }
}
