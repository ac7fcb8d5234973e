package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.books.SpendingBooks;

/**
 * Search for a spend of ours that was to create a coin and can never be mined: the coin will never exist. The store knows this of most spends, but not
 * of a refused one: it may merely never have been sent, and another party may make the same transaction. For refused spends the followed chain
 * decides, which shows whether another transaction has spent one of their coins.
 */
final class LostParents {
    private final SpendEnvironment env;

    LostParents(SpendEnvironment env) {
        this.env = env;
    }

    /**
     * Finds one of these transactions that can never be mined, unless a reorganisation is deeper than expected.
     *
     * @param parents transactions that were to create the coins of a spend
     */
    CompletionStage<Optional<Hash256>> among(Set<Hash256> parents) {
        return env.intents()
                .lostForGood(parents)
                .thenComposeAsync(
                        lost -> lost.isPresent()
                                ? CompletableFuture.completedFuture(lost)
                                : env.intents().refused(parents).thenComposeAsync(this::lostOnTheChain, env.executor()),
                        env.executor());
    }

    private CompletionStage<Optional<Hash256>> lostOnTheChain(List<PackedSpend> refused) {
        if (refused.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        List<SpendingBooks.Question> questions = refused.stream()
                .map(spend -> new SpendingBooks.Question(spend.txId(), spend.outpoints(), Optional.empty()))
                .toList();
        return env.chain()
                .fates(questions)
                .thenApplyAsync(
                        answer -> answer.flatMap(chain -> {
                            for (int i = 0; i < refused.size(); i++) {
                                if (chain.fates().get(i) instanceof SpendingBooks.Fate.Lost lost
                                        && env.pace().isBuried(lost.to().place(), chain.tip())) {
                                    return Optional.of(refused.get(i).txId());
                                }
                            }
                            return Optional.empty();
                        }),
                        env.executor());
    }
}
