package org.chainwalletd.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
    private final ByteBudget budget = ByteBudget.of(100_000);

    @Test
    void takes_all_or_nothing() {
        assertThat(budget.tryTake(60_000)).isTrue();
        assertThat(budget.tryTake(40_001)).isFalse();
        assertThat(budget.held()).isEqualTo(60_000);
        assertThat(budget.tryTake(40_000)).isTrue();
        budget.give(100_000);
        assertThat(budget.held()).isZero();
    }

    @Test
    void a_part_counts_against_the_whole_and_leaves_the_rest_to_others() {
        ByteBudget part = budget.within(50_000);
        assertThat(part.tryTake(50_001)).isFalse();
        assertThat(part.tryTake(50_000)).isTrue();
        assertThat(budget.held()).isEqualTo(50_000);
        assertThat(budget.tryTake(50_000)).isTrue();
        part.give(50_000);
        assertThat(budget.tryTake(50_001)).isFalse();
        assertThat(part.tryTake(50_000)).isTrue();
        assertThat(budget.tryTake(1)).isFalse();
        assertThat(part.tryTake(1)).isFalse();
        assertThat(part.held()).isEqualTo(50_000);
    }

    @Test
    void a_closed_share_has_given_back_all_and_takes_no_more() {
        ByteBudget.Share share = budget.share();
        assertThat(share.tryGrow(70_000)).isTrue();
        assertThat(share.tryGrow(40_000)).isFalse();
        share.shrink(20_000);
        assertThat(budget.held()).isEqualTo(50_000);
        share.close();
        share.close();
        share.shrink(10);
        assertThat(share.tryGrow(1)).isFalse();
        assertThat(budget.held()).isZero();
    }

    @Test
    void an_answer_counts_until_it_is_closed() {
        WholeBody body = body();
        assertThat(accept(
                        new HttpAnswerReader(body),
                        "HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n" + "x".repeat(30_000)))
                .isTrue();
        HttpAnswer answer = body.answer();
        assertThat(budget.held()).isEqualTo(30_000);
        answer.close();
        assertThat(budget.held()).isZero();
    }

    @Test
    void an_answer_that_finds_no_room_is_refused_while_a_short_one_still_comes() {
        assertThat(budget.tryTake(90_000)).isTrue();

        assertThatThrownBy(
                        () -> accept(new HttpAnswerReader(body()), "HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n"))
                .isInstanceOf(HttpAnswerReader.MalformedException.class)
                .hasMessage("no room for an answer of 30000 bytes beside the others");

        WholeBody shorter = body();
        assertThat(accept(
                        new HttpAnswerReader(shorter),
                        "HTTP/1.1 200 OK\r\nContent-Length: 16384\r\n\r\n" + "x".repeat(WholeBody.FREE_BYTES)))
                .isTrue();
        assertThat(shorter.answer().body()).hasSize(WholeBody.FREE_BYTES);
        assertThat(budget.held()).isEqualTo(90_000);
    }

    @Test
    void a_body_without_a_length_is_counted_as_it_grows() {
        WholeBody body = body();
        HttpAnswerReader reader = new HttpAnswerReader(body);
        accept(reader, "HTTP/1.1 200 OK\r\n\r\n" + "x".repeat(20_000));
        assertThat(budget.held()).isGreaterThanOrEqualTo(20_000);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        accept(reader, "x".repeat(20_000));
                    }
                })
                .isInstanceOf(HttpAnswerReader.MalformedException.class);
        assertThat(budget.held()).isLessThanOrEqualTo(100_000);
        body.drop();
        assertThat(budget.held()).isZero();
    }

    private WholeBody body() {
        return new WholeBody(new ExchangeLimits(1 << 20, Duration.ofSeconds(1), budget));
    }

    private static boolean accept(HttpAnswerReader reader, String wire) {
        byte[] bytes = wire.getBytes(StandardCharsets.US_ASCII);
        return reader.accept(bytes, bytes.length);
    }

    @Test
    void what_one_kind_of_peer_holds_is_not_left_to_the_other_but_each_finds_something() {
        ByteBudget nodes = budget.within(70_000);
        ByteBudget clients = budget.within(70_000);

        assertThat(nodes.tryTake(70_000)).isTrue();
        assertThat(clients.tryTake(30_001)).isFalse();
        assertThat(clients.tryTake(30_000)).isTrue();
        nodes.give(40_000);
        assertThat(clients.tryTake(40_000)).isTrue();
        assertThat(budget.held()).isEqualTo(100_000);
    }
}
