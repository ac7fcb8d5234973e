package org.chainwalletd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.Waiting.ListCredits;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.wire.Binder;
import org.junit.jupiter.api.Test;

/** Cursors across answers and failures; {@code CreditFeedsTest} tests them with a real daemon. */
class CreditFeedTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ListCredits QUERY =
            ListCredits.of().withMinConfirmations(3).withLimit(2);

    /** The daemon's answers to consecutive calls. */
    private final Deque<Supplier<ListCredits.Result>> script = new ArrayDeque<>();

    private final List<ListCredits> asked = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final WalletdCalls daemon = new WalletdCalls() {
        @Override
        @SuppressWarnings("unchecked") // a feed calls nothing else
        public <R> R call(Call<R> call) {
            asked.add((ListCredits) call);
            return (R) script.remove().get();
        }

        @Override
        public <R> CompletableFuture<R> callAsync(Call<R> call) {
            throw new UnsupportedOperationException();
        }
    };

    @Test
    void each_page_is_asked_for_with_the_cursor_of_the_one_before() {
        answers("c1", 1);
        answers("c2", 2);
        CreditFeed feed = feed(Optional.of("c0"));

        assertThat(feed.next().cursor()).isEqualTo("c1");
        assertThat(feed.next().cursor()).isEqualTo("c2");

        assertThat(asked).extracting(asking -> asking.cursor().orElseThrow()).containsExactly("c0", "c1");
        assertThat(asked).allSatisfy(asking -> {
            assertThat(asking.minConfirmations()).hasValue(3);
            assertThat(asking.limit()).hasValue(2);
        });
    }

    @Test
    void a_feed_without_a_cursor_begins_where_its_query_says_and_only_once() {
        answers("c1", 0);
        answers("c2", 1);
        CreditFeed feed = new CreditFeed(daemon, QUERY.withFrom("now"), Optional.empty(), this::rest);
        assertThat(feed.cursor()).isEmpty();

        assertThat(feed.next().cursor()).isEqualTo("c2");

        assertThat(asked.get(0).from()).contains("now");
        assertThat(asked.get(0).cursor()).isEmpty();
        assertThat(asked.get(1).cursor()).contains("c1");
        assertThat(asked.get(1).from()).isEmpty();
        assertThat(feed.cursor()).contains("c2");
    }

    @Test
    void an_empty_page_moves_the_cursor_and_is_not_handed_out_by_next() {
        answers("c1", 0);
        answers("c2", 0);
        answers("c3", 1);

        assertThat(feed(Optional.of("c0")).next().credits()).hasSize(1);

        assertThat(asked).extracting(asking -> asking.cursor().orElseThrow()).containsExactly("c0", "c1", "c2");
        assertThat(pauses).isEmpty();
    }

    @Test
    void what_passes_by_itself_is_waited_out_at_the_same_cursor() {
        script.add(() -> {
            throw new WalletdException.Transport("no answer", null);
        });
        script.add(() -> {
            throw WalletdException.RpcError.of(-32020, "no node", null);
        });
        script.add(() -> {
            throw WalletdException.RpcError.of(
                    -32042, "too many", JsonNodeFactory.instance.objectNode().put("retry_after_secs", 9));
        });
        answers("c1", 1);

        feed(Optional.of("c0")).next();

        assertThat(asked).extracting(asking -> asking.cursor().orElseThrow()).containsExactly("c0", "c0", "c0", "c0");
        assertThat(pauses).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(9));
    }

    @Test
    void what_does_not_pass_is_thrown_and_leaves_the_feed_where_it_stood() {
        script.add(() -> {
            throw WalletdException.RpcError.of(-32602, "the cursor is of other books", null);
        });
        script.add(() -> {
            throw new WalletdException.FingerprintMismatch("not the pinned one", null);
        });
        CreditFeed feed = feed(Optional.of("c0"));

        assertThatThrownBy(feed::next).isInstanceOf(WalletdException.InvalidParams.class);
        assertThatThrownBy(feed::next).isInstanceOf(WalletdException.FingerprintMismatch.class);

        assertThat(feed.cursor()).contains("c0");
        assertThat(pauses).isEmpty();
    }

    @Test
    void an_interrupted_thread_stops_waiting() {
        script.add(() -> {
            throw new WalletdException.Transport("interrupted", null);
        });
        CreditFeed feed = new CreditFeed(daemon, QUERY, Optional.of("c0"), length -> {
            throw new InterruptedException();
        });

        assertThatThrownBy(feed::next).isInstanceOf(WalletdException.Transport.class);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void a_wait_is_cut_to_what_the_daemon_accepts() {
        answers("c1", 0);
        answers("c1", 0);
        CreditFeed feed = feed(Optional.of("c0"));

        feed.poll(Duration.ofDays(1));
        feed.poll(Duration.ofSeconds(-1));

        assertThat(asked).extracting(asking -> asking.waitSecs().orElseThrow()).containsExactly(600L, 0L);
    }

    @Test
    void the_asynchronous_feed_moves_only_with_pages_that_it_gave() throws Exception {
        Deque<CompletableFuture<ListCredits.Result>> answers = new ArrayDeque<>();
        AsyncCreditFeed feed = new AsyncCreditFeed(asynchronous(answers), QUERY, Optional.of("c0"));

        CompletableFuture<CreditFeed.CreditPage> failed = feed.poll(Duration.ZERO);
        assertThatThrownBy(() -> feed.poll(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        answers.getLast().completeExceptionally(new WalletdException.Transport("no answer", null));
        assertThatThrownBy(() -> Await.result(failed))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(WalletdException.Transport.class);

        CompletableFuture<CreditFeed.CreditPage> cancelled = feed.poll(Duration.ZERO);
        cancelled.cancel(true);
        answers.getLast().complete(page("c1", 1));
        assertThat(feed.cursor()).contains("c0");

        CompletableFuture<CreditFeed.CreditPage> given = feed.poll(Duration.ZERO);
        answers.getLast().complete(page("c1", 1));
        assertThat(Await.result(given).cursor()).isEqualTo("c1");
        assertThat(feed.cursor()).contains("c1");
        assertThat(asked).extracting(asking -> asking.cursor().orElseThrow()).containsExactly("c0", "c0", "c0");
    }

    @Test
    void cancelling_a_page_gives_its_call_up() {
        Deque<CompletableFuture<ListCredits.Result>> answers = new ArrayDeque<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        WalletdCalls recording = new WalletdCalls() {
            @Override
            public <R> R call(Call<R> call) {
                throw new UnsupportedOperationException();
            }

            @Override
            public <R> CompletableFuture<R> callAsync(Call<R> call) {
                CompletableFuture<R> made = asynchronous(answers).callAsync(call);
                calls.add(made);
                return made;
            }
        };

        new AsyncCreditFeed(recording, QUERY, Optional.empty())
                .poll(Duration.ZERO)
                .cancel(true);

        assertThat(calls).singleElement().matches(CompletableFuture::isCancelled);
    }

    private WalletdCalls asynchronous(Deque<CompletableFuture<ListCredits.Result>> answers) {
        return new WalletdCalls() {
            @Override
            public <R> R call(Call<R> call) {
                throw new UnsupportedOperationException();
            }

            @Override
            @SuppressWarnings("unchecked") // a feed calls nothing else
            public <R> CompletableFuture<R> callAsync(Call<R> call) {
                asked.add((ListCredits) call);
                CompletableFuture<ListCredits.Result> answer = new CompletableFuture<>();
                answers.add(answer);
                return answer.thenApplyAsync(given -> (R) given, Runnable::run);
            }
        };
    }

    private CreditFeed feed(Optional<String> cursor) {
        return new CreditFeed(daemon, QUERY, cursor, this::rest);
    }

    private void rest(Duration pause) {
        pauses.add(pause);
    }

    private void answers(String cursor, int credits) {
        script.add(() -> page(cursor, credits));
    }

    private static ListCredits.Result page(String cursor, int credits) {
        String credit =
                "{\"seq\":1,\"event\":\"confirmed\",\"address\":\"%1$s\",\"tx_id\":\"%1$s\",\"output_index\":0,\"amount\":5,"
                        + "\"block_height\":7,\"block_id\":\"%1$s\",\"confirmations\":3,\"own\":false,\"change\":false,\"coinbase\":false,"
                        + "\"spendable_height\":7}";
        String list = String.join(",", Collections.nCopies(credits, credit.formatted("ab".repeat(32))));
        try {
            return Binder.lenient(ListCredits.Result.class)
                    .bind(JSON.readTree("{\"credits\":[" + list + "],\"cursor\":\"" + cursor + "\",\"more\":false}"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
