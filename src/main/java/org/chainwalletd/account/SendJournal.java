package org.chainwalletd.account;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
 * watches the sends and is used on its thread; what the journal answers comes back to it through its {@link Mailbox}.
 */
final class SendJournal {
    private static final Logger LOG = LoggerFactory.getLogger(SendJournal.class);

    /** Mailbox of the owner, on whose thread each step is taken if the row is still watched then. */
    interface Mailbox {
        /** @param id of the row that it is about */
        <T> void hear(long id, CompletionStage<T> answer, BiConsumer<OpenSend, Outcome<T>> step);

        void hearLater(long id, Consumer<OpenSend> step);
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
                (still, done) -> written(still, changed, done));
    }

    /** @param done false when the journal has another state */
    private void written(OpenSend entry, AccountSend row, Outcome<Boolean> done) {
        if (done.value().orElse(false)) {
            CrashPoint.ACCOUNT_AFTER_STATE.reached(() -> row.order().kind() + ":" + row.state());
            durable.accept(entry, row);
        } else {
            LOG.atLevel(done.failure().map(Background::levelOf).orElse(Level.WARN))
                    .log(
                            "the journal did not take that nonce {} is {}: {}",
                            row.nonce(),
                            row.state(),
                            done.failure().map(AccountException::words).orElse("it has another state"));
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
        mailbox.hear(
                entry.row.id(),
                setup.store().find(entry.row.reference()),
                (still, row) -> row.match(found -> reread(still, found), failure -> rereadLater(still, failure)));
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
        mailbox.hearLater(entry.row.id(), this::read);
    }
}
