package org.chainwalletd.node;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.ExchangeLimits;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.HttpPeer.ExchangeListener;
import org.chainwalletd.net.NoAnswerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends one attempt of a call to one node. Answers are parsed on the executor, never on the thread of the sockets. Thread-safe. */
final class Exchanger {
    private static final Logger LOG = LoggerFactory.getLogger(Exchanger.class);
    /** Background calls may buffer this fraction (1/n) of the bytes that all answers may hold. */
    private static final int BACKGROUND_PART = 2;

    private final Settings.Node settings;
    private final String noun;
    private final ByteBudget answers;
    private final ByteBudget backgroundAnswers;
    private final Executor executor;
    private final LongSupplier clock;
    private final UpstreamMetrics metrics;

    Exchanger(
            Settings.Node settings,
            String noun,
            ByteBudget answers,
            Executor executor,
            LongSupplier clock,
            UpstreamMetrics metrics) {
        this.metrics = metrics;
        this.settings = settings;
        this.noun = noun;
        this.answers = answers;
        this.backgroundAnswers = answers.within(answers.limit() / BACKGROUND_PART);
        this.executor = executor;
        this.clock = clock;
    }

    /**
     * Sends the call. Its permit is released when the connection is closed.
     *
     * @param settle receives the outcome on the executor, or, without an answer, on the thread of the sockets; must not block
     * @param awaited run when a call may be waiting for the released permit
     */
    <T> void send(Call<T> call, UpstreamNode node, Consumer<AnswerDecoder.Attempt<T>> settle, Runnable awaited) {
        node.quota(call.bucket()).spent(call.priority(), clock.getAsLong());
        node.peer.post(call.request, limits(call), new ExchangeListener() {
            @Override
            public void answered(HttpAnswer answer) {
                try {
                    executor.execute(() -> settle.accept(read(call, node, answer)));
                } catch (RejectedExecutionException e) {
                    answer.close();
                    settle.accept(new AnswerDecoder.Attempt.NoAnswer<>("no thread is free to read its answer", true));
                }
            }

            @Override
            public void failed(NoAnswerException failure) {
                if (failure.isCut()) {
                    metrics.answerCut(node);
                }
                settle.accept(new AnswerDecoder.Attempt.NoAnswer<>(failure.getMessage(), failure.mayHaveArrived()));
            }

            @Override
            public void closed() {
                if (node.limiter.release(call.priority())) {
                    awaited.run();
                }
            }
        });
    }

    private ExchangeLimits limits(Call<?> call) {
        return new ExchangeLimits(
                Math.min(settings.maxAnswerBytes(), call.kind.mostAnswerBytes()),
                settings.callTimeout(),
                call.priority() == Priority.BACKGROUND ? backgroundAnswers : answers);
    }

    /** Parses an answer. Always returns an outcome, whatever the node sent. */
    private <T> AnswerDecoder.Attempt<T> read(Call<T> call, UpstreamNode node, HttpAnswer answer) {
        try (answer) {
            AnswerDecoder.Attempt<T> outcome = AnswerDecoder.decode(answer, call.id, noun, call.method, call.reader);
            return outcome instanceof AnswerDecoder.Attempt.Result<T> result
                    ? new AnswerDecoder.Attempt.Result<>(call.reader.saidBy(node.url, result.value()))
                    : outcome;
        } catch (NodeException e) {
            return new AnswerDecoder.Attempt.Refused<>(e);
        } catch (RuntimeException | StackOverflowError e) {
            LOG.error("an answer to {} could not be read", call.method, e);
            return new AnswerDecoder.Attempt.Refused<>(
                    new NodeException.BadAnswer(noun + " answered " + call.method + " unreadably"));
        }
    }
}
