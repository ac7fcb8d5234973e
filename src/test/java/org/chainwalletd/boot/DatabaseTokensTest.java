package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.store.postgres.PostgresAgreed;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handling of shared settings by {@link DatabaseTokens}, without a database. */
class DatabaseTokensTest {
    private static final String SPEND = "the-spend-token-0123456789";

    @TempDir
    Path datadir;

    private final Map<String, String> values = new HashMap<>(Map.of("spend token", digest(SPEND)));

    private static String digest(String token) {
        return Hash256.sha256(token.getBytes(StandardCharsets.US_ASCII)).hex();
    }

    /** Like the database: a change that throws changes nothing. */
    private void agree(UnaryOperator<Map<String, String>> change) {
        Map<String, String> changed = change.apply(new HashMap<>(values));
        values.clear();
        values.putAll(changed);
    }

    private Settings settings(String... more) {
        return DaemonRig.settings(datadir, ScriptedNode.refusing(), more);
    }

    @Test
    void a_token_of_another_scope_is_not_made_that_of_all() throws Exception {
        assertThatThrownBy(() -> DatabaseTokens.set(settings("--auth-token-read", SPEND), this::agree, Scope.READ))
                .isInstanceOf(StartupException.class)
                .hasMessage("the read token of this datadir is the spend token of the daemons of the database: give"
                        + " every scope a token of its own");
        assertThat(values).doesNotContainKey("read token");

        DatabaseTokens.set(settings("--auth-token-read", "another-token-0123456789"), this::agree, Scope.READ);
        DatabaseTokens.set(settings("--auth-token-spend", SPEND), this::agree, Scope.SPEND);
        assertThat(values).containsEntry("read token", digest("another-token-0123456789"));
    }

    @Test
    void a_daemon_with_a_token_of_another_scope_is_refused_and_leaves_the_database_as_it_is() {
        Map<String, String> before = Map.copyOf(values);
        assertThatThrownBy(() -> DatabaseTokens.open(
                        settings("--auth-token-manage", SPEND),
                        () -> new PostgresAgreed(0, values),
                        this::agree,
                        line -> {}))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("the manage token of this datadir is the spend token of the daemons");
        assertThat(values).isEqualTo(before);
    }

    @Test
    void a_rotation_whose_token_cannot_be_kept_changes_nothing_and_says_so_in_one_line() throws Exception {
        Map<String, String> before = Map.copyOf(values);
        Path file = Files.createFile(datadir.resolve("file"));
        Settings settings = DaemonRig.settings(file, ScriptedNode.refusing());

        assertThatThrownBy(() -> DatabaseTokens.rotate(settings, this::agree, Scope.SPEND))
                .isInstanceOf(StartupException.class)
                .hasMessageStartingWith("the tokens were not changed: no token can be kept in " + file);
        assertThat(values).isEqualTo(before);
    }
}
