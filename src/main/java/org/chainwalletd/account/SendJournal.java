package org.chainwalletd.account;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.State;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Writes down what has become of sends, each change in the place of the state before it. Where the journal has another state, or cannot say
 * whether it has this one, it is right and is read again; until it answers nothing more is changed. Belongs to the actor that
 * watches the sends and is used on its thread; what the journal answers comes back to it as a {@link Step}.
 */
final class SendJournal {
    private static final Logger LOG = LoggerFactory.getLogger(SendJournal.class);

    /** An answer about a row that is still watched. */
    sealed interface Step {
        void in(SendJournal journal, OpenSend entry);
    }

    /** @param done false when the journal has another state */
    private record Written(AccountSend written, Outcome<Boolean> done) implements Step {
        @Override
        public void in(SendJournal journal, OpenSend entry) {
            journal.written(this, entry);
        }
    }

    private record Reread(Outcome<Optional<AccountSend>> row) implements Step {
        @Override
        public void in(SendJournal journal, OpenSend entry) {
            row.match(found -> journal.reread(entry, found), failure -> journal.rereadLater(entry, failure));
        }
    }

    private record ReadAgain() implements Step {
        @Override
        public void in(SendJournal journal, OpenSend entry) {
            journal.read(entry);
        }
    }

    /** The mailbox of its owner, on whose thread each step is taken. */
    interface Mailbox {
        /** @param id of the row that it is about */
        <T> void hear(long id, CompletionStage<T> answer, Function<Outcome<T>, Step> step);

        void hearLater(long id, Step step);
    }

    private final SendSetup setup;
    private final Mailbox mailbox;
    private final BiConsumer<OpenSend, AccountSend> durable;

    /** @param durable told of each row that was written */
    SendJournal(SendSetup setup, Mailbox mailbox, BiConsumer<OpenSend, AccountSend> durable) {
        this.setup = setup;
        this.mailbox = mailbox;
        this.durable = durable;
    }

    /** Enters a state; memory is changed at once. */
    void enter(OpenSend entry, State state, Optional<AccountSend.Outcome> outcome) {
        State before = entry.row.state();
        long now = setup.clock().millis();
        AccountSend changed = entry.row.in(state, outcome, now);
        entry.row = changed;
        mailbox.hear(
                changed.id(),
                setup.store().enter(changed.id(), before, state, outcome, now),
                done -> new Written(changed, done));
    }

    private void written(Written step, OpenSend entry) {
        AccountSend row = step.written();
        if (step.done().value().orElse(false)) {
            CrashPoint.ACCOUNT_AFTER_STATE.reached(() -> row.order().kind() + ":" + row.state());
            durable.accept(entry, row);
        } else {
            LOG.atLevel(step.done().failure().map(Background::levelOf).orElse(Level.WARN))
                    .log(
                            "the journal did not take that nonce {} is {}: {}",
                            row.nonce(),
                            row.state(),
                            step.done().failure().map(AccountException::words).orElse("it has another state"));
            reread(entry);
        }
    }

    /** The journal is right; what the chain says is found out once more. */
    void reread(OpenSend entry) {
        if (!entry.rereading) {
            entry.rereading = true;
            read(entry);
        }
    }

    private void read(OpenSend entry) {
        mailbox.hear(entry.row.id(), setup.store().find(entry.row.reference()), Reread::new);
    }

    private void reread(OpenSend entry, Optional<AccountSend> found) {
        entry.rereading = false;
        found.ifPresent(row -> {
            entry.row = row;
            if (row.state().isOver()) {
                durable.accept(entry, row);
            }
        });
    }

    /** Memory may hold what no journal has: a state that is over there would never be looked at again. */
    private void rereadLater(OpenSend entry, Throwable failure) {
        LOG.warn("the journal cannot say how nonce {} stands: {}", entry.row.nonce(), AccountException.words(failure));
        mailbox.hearLater(entry.row.id(), new ReadAgain());
    }
}
