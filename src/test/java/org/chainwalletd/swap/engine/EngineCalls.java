package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.pool.HttpPool;
import org.chainwalletd.swap.pool.PoolWords;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.TwoChains;

/** Set-up of an engine, questions to it, and rows in its journal. */
final class EngineCalls {
    private EngineCalls() {}

    static SwapJournal journal(SwapStore table, SealedRecords seals) {
        return new SwapJournal(table, seals, ForkJoinPool.commonPool());
    }

    /** Returns the set-up of an engine that knows a tip and no other swaps, and has no listeners. */
    static SwapSetup setup(SwapJournal journal, Legs legs, String run, InstantSource clock, Duration pace) {
        return new SwapSetup(
                journal,
                legs,
                run,
                clock,
                pace,
                () -> OptionalLong.of(Sample.TIP),
                () -> false,
                new SwapBook(),
                changed -> {},
                Sample.MARGINS,
                alarm -> {});
    }

    static HttpPool pool(ActorTestKit kit, TwoChains chains, Executor executor) {
        return new HttpPool(
                Peers.of(kit.system()).to(chains.poolUri()),
                PoolWords.DEFAULT,
                Duration.ofSeconds(30),
                ByteBudget.of(HttpPool.MOST_HELD),
                executor);
    }

    static CompletableFuture<SwapReply> ask(
            ActorRef<SwapEngine.Command> engine,
            String id,
            Function<CompletableFuture<SwapReply>, SwapQuestion> question) {
        CompletableFuture<SwapReply> reply = new CompletableFuture<>();
        engine.tell(new SwapEngine.Ask(id, question.apply(reply)));
        return reply;
    }

    static CompletableFuture<SwapReply> execute(ActorRef<SwapEngine.Command> engine, String id) {
        return ask(engine, id, reply -> new SwapQuestion.Execute(Optional.empty(), reply));
    }

    /** Answered after everything that the engine was asked before. */
    static boolean hasRoom(ActorRef<SwapEngine.Command> engine) {
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        engine.tell(new SwapEngine.Room(room));
        return Await.result(room);
    }

    /** Journals a row with the secret of {@link Sample}. */
    static SwapJournal.Held add(SwapJournal journal, SwapRow row) {
        return Await.result(journal.add(row, SecretBytes.copyOf(Sample.SECRET))).orElseThrow();
    }
}
