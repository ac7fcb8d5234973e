package org.chainwalletd.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NamedTokensTest {
    private static final String FIRST = "11".repeat(32);
    private static final String SECOND = "22".repeat(32);

    @TempDir
    Path datadir;

    private final ManualClock clock = new ManualClock(Instant.ofEpochMilli(1_000_000));

    private NamedToken token(String name, String value, OptionalLong expires) {
        NamedToken.Policy policy = new NamedToken.Policy(
                Optional.of(List.of("transfer", "/events")),
                Optional.of(List.of(Address.of(new byte[32]))),
                Optional.empty(),
                Optional.of(Amount.MAX),
                Optional.of(Amount.of(5)));
        return new NamedToken(
                name,
                Scope.SPEND,
                policy,
                expires,
                clock.millis(),
                OptionalLong.empty(),
                List.of(new NamedToken.Value(digest(value), OptionalLong.empty())));
    }

    private static Hash256 digest(String value) {
        return Hash256.sha256(value.getBytes(StandardCharsets.US_ASCII));
    }

    private TokenFile rows() {
        return new TokenFile(datadir);
    }

    @Test
    void rows_are_read_as_they_were_written_and_the_token_itself_is_stored_nowhere() throws IOException {
        NamedToken token = token("worker", FIRST, OptionalLong.of(5));
        rows().add(token);

        assertThat(rows().all()).containsExactly(token);
        assertThat(Files.readString(datadir.resolve(TokenFile.NAME))).doesNotContain(FIRST);
    }

    @Test
    void a_name_is_never_used_again() throws IOException {
        rows().add(token("worker", FIRST, OptionalLong.empty()));
        rows().revoke("worker", clock.millis());

        assertThatThrownBy(() -> rows().add(token("worker", SECOND, OptionalLong.empty())))
                .isInstanceOf(TokenRows.RefusedChange.class);
        assertThatThrownBy(() -> rows().rotate("worker", digest(SECOND), clock.millis(), Long.MAX_VALUE))
                .isInstanceOf(TokenRows.RefusedChange.class);
        assertThatThrownBy(() -> rows().revoke("nobody", clock.millis())).isInstanceOf(TokenRows.RefusedChange.class);
        for (String name : List.of("read", "manage", "spend", "", "A", "-a", "a b", "a".repeat(65))) {
            assertThat(NamedToken.objectionTo(name)).as(name).isPresent();
        }
    }

    @Test
    void both_values_hold_until_the_overlap_ends_and_a_later_rotation_can_only_shorten_it() throws IOException {
        rows().add(token("worker", FIRST, OptionalLong.empty()));
        rows().rotate("worker", digest(SECOND), clock.millis(), clock.millis() + 1_000);
        NamedTokens tokens = NamedTokens.open(rows(), clock, true);
        assertThat(tokens.find(digest(FIRST))).isPresent();
        assertThat(tokens.find(digest(SECOND)).orElseThrow().name()).isEqualTo("worker");

        clock.advance(Duration.ofMillis(1_000));
        assertThat(tokens.find(digest(FIRST))).isEmpty();
        assertThat(tokens.find(digest(SECOND))).isPresent();

        rows().rotate("worker", digest("third"), clock.millis(), clock.millis());
        tokens.look();
        assertThat(tokens.find(digest(SECOND))).isEmpty();
        assertThat(tokens.find(digest("third"))).isPresent();
    }

    @Test
    void what_a_value_has_open_continues_until_the_overlap_of_its_rotation_ends() throws IOException {
        rows().add(token("worker", FIRST, OptionalLong.empty()));
        NamedTokens tokens = NamedTokens.open(rows(), clock, true);
        Grant grant = tokens.find(digest(FIRST)).orElseThrow();
        List<String> ended = new ArrayList<>();
        grant.whenEnded(() -> ended.add("wait"));

        rows().rotate("worker", digest(SECOND), clock.millis(), clock.millis() + 1_000);
        tokens.look();

        assertThat(tokens.find(digest(SECOND))).isPresent();
        assertThat(ended).isEmpty();
        assertThat(grant.hasEnded()).isFalse();
        clock.advance(Duration.ofMillis(1_000));
        assertThat(grant.hasEnded()).isTrue();
        tokens.look();
        assertThat(ended).containsExactly("wait");
    }

    @Test
    void an_expired_token_is_not_accepted_and_what_it_has_open_ends_at_the_next_look() throws IOException {
        rows().add(token("worker", FIRST, OptionalLong.of(clock.millis() + 10)));
        NamedTokens tokens = NamedTokens.open(rows(), clock, true);
        Grant grant = tokens.find(digest(FIRST)).orElseThrow();
        List<String> ended = new ArrayList<>();
        grant.whenEnded(() -> ended.add("wait"));
        grant.whenEnded(() -> ended.add("left")).run();

        assertThat(grant.hasEnded()).isFalse();
        clock.advance(Duration.ofMillis(10));
        assertThat(tokens.find(digest(FIRST))).isEmpty();
        assertThat(grant.hasEnded()).as("calls that were accepted before").isTrue();
        assertThat(grant.objectionTo(Address.of(new byte[32]), List.of(), Amount.ZERO))
                .as("a payment that was not decided on yet is refused")
                .isPresent();
        tokens.look();

        assertThat(ended).containsExactly("wait");
        grant.whenEnded(() -> ended.add("late"));
        assertThat(ended).containsExactly("wait", "late");
        // Setting the clock back does not make it valid again.
        clock.advance(Duration.ofMillis(-10));
        assertThat(tokens.find(digest(FIRST))).isEmpty();
    }

    @Test
    void a_revoked_token_ends_and_others_continue_with_what_they_have_open() throws IOException {
        rows().add(token("worker", FIRST, OptionalLong.empty()));
        rows().add(token("other", SECOND, OptionalLong.empty()));
        NamedTokens tokens = NamedTokens.open(rows(), clock, true);
        Grant worker = tokens.find(digest(FIRST)).orElseThrow();
        Grant other = tokens.find(digest(SECOND)).orElseThrow();

        rows().revoke("worker", clock.millis());
        tokens.look();

        assertThat(worker.hasEnded()).isTrue();
        assertThat(tokens.find(digest(FIRST))).isEmpty();
        assertThat(tokens.find(digest(SECOND))).containsSame(other);
        assertThat(worker.objectionTo(Address.of(new byte[32]), List.of(), Amount.ZERO))
                .as("a payment that was not decided on yet is refused")
                .isPresent();
    }

    @Test
    void rows_that_are_damaged_or_gone_change_nothing_and_stop_a_start() throws IOException {
        rows().add(token("worker", FIRST, OptionalLong.empty()));
        NamedTokens tokens = NamedTokens.open(rows(), clock, true);
        byte[] good = Files.readAllBytes(datadir.resolve(TokenFile.NAME));

        String ruleOfAnotherRelease = new String(good, StandardCharsets.UTF_8)
                .replace("\"cap_per_tx\":", "\"cap_per_period\":\"1\",\"cap_per_tx\":");
        for (String bad : List.of(
                ruleOfAnotherRelease,
                "",
                "{",
                "{\"version\":2,\"tokens\":[]}",
                "{\"version\":1,\"tokens\":[{}]}",
                "[]")) {
            AtomicFiles.write(datadir.resolve(TokenFile.NAME), bad.getBytes(StandardCharsets.UTF_8));
            tokens.look();
            assertThat(tokens.find(digest(FIRST))).as(bad).isPresent();
            assertThatThrownBy(() -> NamedTokens.open(rows(), clock, true))
                    .as(bad)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(TokenFile.NAME);
        }
        AtomicFiles.delete(datadir.resolve(TokenFile.NAME));
        tokens.look();
        assertThat(tokens.find(digest(FIRST))).isPresent();

        AtomicFiles.write(datadir.resolve(TokenFile.NAME), good);
        tokens.look();
        assertThat(tokens.find(digest(FIRST))).isPresent();
    }

    @Test
    void two_changes_at_once_are_never_both_made() throws IOException {
        rows().add(token("worker", FIRST, OptionalLong.empty()));
        assertThat(AtomicFiles.alone(
                        datadir.resolve(TokenFile.NAME),
                        () -> assertThatThrownBy(() -> rows().revoke("worker", clock.millis()))
                                .isInstanceOf(TokenRows.RefusedChange.class)
                                .hasMessageContaining("try again")))
                .isTrue();

        rows().revoke("worker", clock.millis());
        assertThat(rows().all().get(0).revokedAt()).isPresent();
    }

    /** A kill at any moment of a change leaves either the rows before it or those after it. */
    @Test
    void a_kill_between_the_steps_of_a_change_leaves_it_made_or_not_made() throws IOException {
        List<Runnable> changes = List.of(
                () -> change(() -> rows().add(token("worker", FIRST, OptionalLong.empty()))),
                () -> change(() -> rows().rotate("worker", digest(SECOND), clock.millis(), clock.millis() + 1_000)),
                () -> change(() -> rows().revoke("worker", clock.millis())));
        List<List<NamedToken>> seen = new ArrayList<>();
        for (Runnable change : changes) {
            List<NamedToken> before = rows().all();
            seen.clear();
            CrashPoint.watch(point -> change(() -> seen.add(rows().all())));
            try {
                change.run();
            } finally {
                CrashPoint.watch(null);
            }
            List<NamedToken> after = rows().all();
            assertThat(after).isNotEqualTo(before);
            assertThat(seen).containsExactly(before, after);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void change(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
