package org.chainwalletd.account;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.account.Question.Size;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Causes;

/** Typed questions to one endpoint's actor. */
final class EndpointReads extends JsonReads implements AccountEndpoint {
    /** How endpoints say that they have a transaction already; none has a code of its own for it. */
    private static final List<String> HAS_IT = List.of("already known", "known transaction", "already imported");

    /** Longer than any word or number in a refusal. */
    private static final Pattern LONG_RUN = Pattern.compile("[0-9A-Za-z+/=_-]{24,}");

    private final String name;
    private final ActorRef<Endpoint.Command> endpoint;
    private final EndpointFigures figures;

    EndpointReads(String name, ActorRef<Endpoint.Command> endpoint, EndpointFigures figures, Executor executor) {
        super(executor);
        this.figures = figures;
        this.name = name;
        this.endpoint = endpoint;
    }

    @Override
    public String name() {
        return name;
    }

    EndpointFigures figures() {
        return figures;
    }

    @Override
    public CompletionStage<Optional<AccountBlock>> block(BlockRef at) {
        CompletionStage<Optional<AccountBlock>> block = super.block(at);
        return at != BlockRef.Tag.LATEST
                ? block
                : block.thenApplyAsync(
                        found -> {
                            found.ifPresent(figures::toldOf);
                            return found;
                        },
                        executor());
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
                Question.SEND,
                Question.noParams().add(Quantities.text(raw)),
                Size.SMALL,
                result -> sameHash(Quantities.hash(result), hash));
        return ask(question)
                .handleAsync(
                        (sent, failure) -> {
                            if (failure != null && !hasItAlready(Causes.of(failure))) {
                                throw withoutEcho(Causes.of(failure));
                            }
                            return null;
                        },
                        executor());
    }

    /** An endpoint that repeats what it was sent must not bring the secret of a claim into a log. */
    private RuntimeException withoutEcho(Throwable failure) {
        if (failure instanceof AccountException.Refused refused) {
            return new AccountException.Refused(
                    name, refused.code(), LONG_RUN.matcher(refused.words()).replaceAll("…"));
        }
        return failure instanceof RuntimeException known
                ? known
                : new AccountException.Unreachable(name, failure.toString());
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
