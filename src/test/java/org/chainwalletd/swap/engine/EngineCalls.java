package org.chainwalletd.swap.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.testkit.Await;

/** Questions to an engine, and rows in its journal. */
final class EngineCalls {
    private EngineCalls() {}

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
