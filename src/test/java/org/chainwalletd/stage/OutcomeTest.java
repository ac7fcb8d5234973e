package org.chainwalletd.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    private static final IOException REASON = new IOException("gone");

    private final List<Object> heard = new ArrayList<>();

    @Test
    void a_stage_that_ended_well_has_its_value_and_no_failure() {
        Outcome<String> outcome = Outcome.of("value", null);
        outcome.match(heard::add, failure -> heard.add(REASON));
        assertThat(heard).containsExactly("value");
        assertThat(outcome.value()).contains("value");
        assertThat(outcome.failure()).isEmpty();
        assertThat(outcome.<Object>fold(String::length, failure -> REASON)).isEqualTo(5);
    }

    @Test
    void a_stage_without_a_value_ended_well_nevertheless() {
        Outcome<Void> outcome = Outcome.of(null, null);
        outcome.match(done -> heard.add("done"), heard::add);
        assertThat(heard).containsExactly("done");
        assertThat(outcome.failure()).isEmpty();
        assertThat(outcome.value()).isEmpty();
    }

    @Test
    void a_failure_is_reported_without_what_stages_wrap_around_it() {
        Outcome<String> outcome = Outcome.of(null, new CompletionException(REASON));
        outcome.match(heard::add, heard::add);
        assertThat(heard).containsExactly(REASON);
        assertThat(outcome.failure()).contains(REASON);
        assertThat(outcome.value()).isEmpty();
        assertThat(outcome.<Object>fold(String::length, failure -> failure)).isEqualTo(REASON);
    }

    @Test
    void another_value_changes_nothing_about_how_it_ended() {
        assertThat(Outcome.of("value", null).map(String::length).value()).contains(5);
        assertThat(Outcome.<String>of(null, REASON).map(String::length).failure())
                .contains(REASON);
        assertThat(Outcome.<Void>of(null, null).map(done -> 1).value()).contains(1);
    }
}
