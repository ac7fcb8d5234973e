package org.chainwalletd.follow;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Lets a number of questions be under way at a time; others begin in their order, each when one has ended. Safe for threads. */
final class Gate {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int free;

    Gate(int width) {
        free = width;
    }

    /**
     * Asks as soon as there is room.
     *
     * @param question must not throw; run by the caller, or by whoever completes an earlier one
     */
    <T> CompletionStage<T> pass(Supplier<CompletionStage<T>> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        enter(() -> question.get()
                .whenCompleteAsync(
                        (value, failure) -> {
                            leave();
                            if (failure == null) {
                                answer.complete(value);
                            } else {
                                answer.completeExceptionally(failure);
                            }
                        },
                        Runnable::run));
        return answer;
    }

    private void enter(Runnable question) {
        synchronized (waiting) {
            if (free == 0) {
                waiting.add(question);
                return;
            }
            free--;
        }
        question.run();
    }

    private void leave() {
        Runnable next;
        synchronized (waiting) {
            next = waiting.poll();
            if (next == null) {
                free++;
                return;
            }
        }
        next.run();
    }
}
