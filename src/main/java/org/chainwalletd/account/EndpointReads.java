package org.chainwalletd.account;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.account.Question.Size;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Causes;

/** Typed questions to one endpoint's actor. */
final class EndpointReads extends JsonReads implements AccountEndpoint {
    /** How endpoints say that they have a transaction already; none has a code of its own for it. */
    private static final List<String> HAS_IT = List.of("already known", "known transaction", "already imported");

    private final String name;
    private final ActorRef<Endpoint.Command> endpoint;

    EndpointReads(String name, ActorRef<Endpoint.Command> endpoint, Executor executor) {
        super(executor);
        this.name = name;
        this.endpoint = endpoint;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    <T> CompletionStage<T> ask(Question<T> question) {
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        endpoint.tell(new Endpoint.Ask(question, answer));
        return answer.thenApplyAsync(
                result -> {
                    try {
                        return question.reader().read(result);
                    } catch (IllegalArgumentException e) {
                        throw new AccountException.BadAnswer(name, question.method() + ": " + e.getMessage());
                    }
                },
                executor());
    }

    @Override
    public CompletionStage<Void> send(Bytes raw, Hash256 hash) {
        Question<Hash256> question = new Question<>(
                "eth_sendRawTransaction",
                Question.noParams().add(Quantities.text(raw)),
                Size.SMALL,
                result -> sameHash(Quantities.hash(result), hash));
        return ask(question)
                .handleAsync(
                        (sent, failure) -> {
                            if (failure != null && !hasItAlready(Causes.of(failure))) {
                                throw failure instanceof RuntimeException known
                                        ? known
                                        : new AccountException.Unreachable(name, failure.toString());
                            }
                            return null;
                        },
                        executor());
    }

    private static Hash256 sameHash(Hash256 answered, Hash256 hash) {
        if (!answered.equals(hash)) {
            throw new IllegalArgumentException("the hash of another transaction");
        }
        return answered;
    }

    private static boolean hasItAlready(Throwable failure) {
        if (!(failure instanceof AccountException.Refused refused)) {
            return false;
        }
        String words = refused.words().toLowerCase(Locale.ROOT);
        return HAS_IT.stream().anyMatch(words::contains);
    }
}
