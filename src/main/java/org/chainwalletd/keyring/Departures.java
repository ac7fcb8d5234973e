package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyringProtocol.Command;
import org.chainwalletd.keyring.KeyringProtocol.Delete;
import org.chainwalletd.keyring.KeyringProtocol.FilesRemoved;
import org.chainwalletd.keyring.KeyringProtocol.Objected;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.stage.Outcome;

/** The way of a key out of the keyring: nobody objects, record gone, secret overwritten, files gone, answered. Belongs to the Keyring actor. */
final class Departures {
    private final ActorContext<Command> context;
    private final KeyTable table;
    private final StateWrites writes;
    private final KeyringStore store;
    private final Set<Address> moving;
    private final Set<Address> leaving;
    private final UnsealedKeys unsealed;
    private final Executor disk;

    Departures(KeyringParts shared, Executor disk) {
        this.disk = disk;
        this.context = shared.context();
        this.table = shared.table();
        this.writes = shared.writes();
        this.store = shared.store();
        this.moving = shared.moving();
        this.leaving = shared.leaving();
        this.unsealed = shared.unsealed();
    }

    void begin(Delete question) {
        Optional<KeyEntry> entry = table.find(question.address());
        if (entry.isEmpty()) {
            question.refuse(KeyringFailures.unknown(question.address()));
            return;
        }
        context.pipeToSelf(
                objection(question, entry.get()), (text, failure) -> new Objected(question, Outcome.of(text, failure)));
    }

    /** A guard is somebody else's code: what it throws must not end the actor. */
    private static CompletionStage<Optional<String>> objection(Delete question, KeyEntry entry) {
        try {
            return question.guard()
                    .map(guard -> guard.objection(entry))
                    .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    void objected(Objected answer) {
        Delete question = answer.question();
        answer.objection()
                .match(
                        objection -> unless(objection, question),
                        failure -> question.refuse(KeyringFailures.unchecked(failure)));
    }

    private void unless(Optional<String> objection, Delete question) {
        Address address = question.address();
        if (objection.isPresent()) {
            question.refuse(KeyringFailures.objected(address, objection.get()));
        } else if (!table.contains(address) || !moving.add(address)) {
            question.refuse(KeyringFailures.unknown(address));
        } else {
            leaving.add(address);
            writes.submit(KeyTable.Change.removing(address, failure -> recordGone(question, failure)));
        }
    }

    private void recordGone(Delete question, Optional<KeyringException> failure) {
        if (failure.isPresent()) {
            moving.remove(question.address());
            leaving.remove(question.address());
            question.refuse(failure.get());
            return;
        }
        unsealed.remove(question.address());
        context.pipeToSelf(
                Flows.<Void>submit(disk, () -> {
                    store.remove(question.address());
                    return null;
                }),
                (done, problem) -> new FilesRemoved(question, Outcome.of(done, problem)));
    }

    void filesRemoved(FilesRemoved outcome) {
        Address address = outcome.question().address();
        moving.remove(address);
        leaving.remove(address);
        KeyringFailures.answer(
                outcome.question().reply(),
                () -> address,
                outcome.removal().failure().map(KeyringFailures::of));
    }
}
