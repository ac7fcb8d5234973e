package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.Grants;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every method of the registry against every rule of a token, according to a hand-written table: a method that is not in the table fails. */
class PolicyTableTest {
    private static final Address ADDRESS = Address.of(new byte[32]);

    /** Expected effect of a token with spending restrictions on a method, and whether the method returns keys. */
    private record Row(String verdict, boolean exportsKeys) {}

    private final Map<String, Row> table = table();

    private static Map<String, Row> table() {
        try (InputStream in = PolicyTableTest.class.getResourceAsStream("/spec/policies.txt")) {
            Map<String, Row> rows = new LinkedHashMap<>();
            new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" "))
                    .forEach(row -> rows.put(row[1], new Row(row[0], row.length > 2 && row[2].equals("keys"))));
            return rows;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void every_method_is_classified_and_nothing_else() {
        assertThat(AllMethods.registry().methods().stream().map(RpcMethod::name).sorted())
                .containsExactlyElementsOf(table.keySet().stream().sorted().toList());
    }

    @TestFactory
    Stream<DynamicTest> every_method_under_every_rule() {
        return AllMethods.registry().methods().stream()
                .map(method -> DynamicTest.dynamicTest(method.name(), () -> judge(method)));
    }

    private void judge(RpcMethod<?, ?> method) {
        Row row = table.get(method.name());
        boolean allowed = !row.verdict().equals("refused");
        for (NamedToken.Policy policy : List.of(
                policy(null, List.of(ADDRESS), null, null),
                policy(null, null, List.of(ADDRESS), null),
                policy(null, null, null, Amount.of(1)),
                new NamedToken.Policy(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Amount.of(1))))) {
            assertThat(rule(Grants.of(Scope.SPEND, policy), method))
                    .as(policy.toString())
                    .isEqualTo(allowed ? Optional.empty() : Optional.of("allow_list"));
            assertThat(method.scope() == Scope.READ).isEqualTo(row.verdict().equals("read"));
            assertThat(Grant.CHECKED_METHODS.contains(method.name()))
                    .isEqualTo(row.verdict().equals("judged"));
        }
        assertThat(rule(Grants.of(Scope.SPEND, policy(List.of("another"), null, null, null)), method))
                .contains("methods");
        assertThat(rule(Grants.of(Scope.SPEND, policy(List.of(method.name()), null, null, null)), method))
                .isEmpty();
        assertThat(rule(Grants.of(Scope.SPEND, policy(List.of(method.name()), List.of(ADDRESS), null, null)), method))
                .as("to be named does not lift the allow-list")
                .isEqualTo(allowed ? Optional.empty() : Optional.of("allow_list"));
        assertThat(rule(Grant.classic(Scope.SPEND, false), method))
                .isEqualTo(row.exportsKeys() ? Optional.of("key_export") : Optional.empty());
        assertThat(rule(Grant.of(Scope.SPEND), method)).isEmpty();
    }

    private static Optional<String> rule(Grant grant, RpcMethod<?, ?> method) {
        return grant.objectionTo(method.name(), method.scope())
                .map(refusal -> ((Grant.PolicyData) refusal.data()).rule());
    }

    private static NamedToken.Policy policy(List<String> methods, List<Address> from, List<Address> to, Amount perTx) {
        return new NamedToken.Policy(
                Optional.ofNullable(methods),
                Optional.ofNullable(from),
                Optional.ofNullable(to),
                Optional.ofNullable(perTx),
                Optional.empty());
    }
}
