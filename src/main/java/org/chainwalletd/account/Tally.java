package org.chainwalletd.account;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Counts the answers to one question. Decided as soon as one answer has enough votes and no other can get as many from those who have not
 * answered yet, or when none can get enough. Its endpoints answer on several threads.
 */
final class Tally<T> {
    private static final int LONGEST_ANSWER = 120;

    private final int quorum;
    private final int voters;
    private final CompletableFuture<T> decision = new CompletableFuture<>();
    private final Map<T, Integer> votes = new LinkedHashMap<>();
    private final List<String> words = new ArrayList<>();
    private int heard;

    Tally(int quorum, int voters) {
        this.quorum = quorum;
        this.voters = voters;
    }

    CompletableFuture<T> decision() {
        return decision;
    }

    void vote(String endpoint, T answer, Throwable failure) {
        Runnable outcome;
        synchronized (this) {
            heard++;
            if (failure == null) {
                votes.merge(answer, 1, Integer::sum);
            }
            words.add(
                    failure == null
                            ? endpoint + " says " + Quantities.readable(String.valueOf(answer), LONGEST_ANSWER)
                            : Failures.words(failure));
            outcome = outcome();
        }
        // Outside the lock: whoever waits goes on from here.
        outcome.run();
    }

    private Runnable outcome() {
        int outstanding = voters - heard;
        Optional<Map.Entry<T, Integer>> leader = votes.entrySet().stream().max(Map.Entry.comparingByValue());
        int most = leader.map(Map.Entry::getValue).orElse(0);
        if (most + outstanding < quorum) {
            return refusal();
        }
        if (most < quorum) {
            return () -> {};
        }
        T answer = leader.orElseThrow().getKey();
        int second = votes.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(answer))
                .mapToInt(Map.Entry::getValue)
                .max()
                .orElse(0);
        if (second >= quorum) {
            return refusal();
        }
        return second + outstanding < quorum ? () -> decision.complete(answer) : () -> {};
    }

    private Runnable refusal() {
        AccountException.Disagreement why =
                new AccountException.Disagreement(quorum, votes.size() > 1, List.copyOf(words));
        return () -> decision.completeExceptionally(why);
    }
}
