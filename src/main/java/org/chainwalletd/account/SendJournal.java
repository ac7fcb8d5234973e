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
 * Writes state changes of sends to the journal. Each write names the state that it replaces. If the journal has another state, or the outcome of
 * the write is unknown, the journal's content decides: the row is read again and does not change until the journal has answered. Used only by
 * {@link SendWatch}, on its thread; the journal's responses arrive through the {@link Mailbox}.
 */
final class SendJournal {
    private static final Logger LOG = LoggerFactory.getLogger(SendJournal.class);

    /** Mailbox of the owning actor. Each step runs on the actor's thread, if the row is still watched then. */
    interface Mailbox {
        /** @param id row to which the answer belongs */
        <T> void deliver(long id, CompletionStage<T> answer, BiConsumer<OpenSend, Outcome<T>> step);

        void deliverLater(long id, Consumer<OpenSend> step);
    }

    private final SendSetup setup;
    private final Mailbox mailbox;
    private final BiConsumer<OpenSend, AccountSend> durable;

    /** @param durable receives each row once its change is durable */
    SendJournal(SendSetup setup, Mailbox mailbox, BiConsumer<OpenSend, AccountSend> durable) {
        this.setup = setup;
        this.mailbox = mailbox;
        this.durable = durable;
    }

    /** Changes the state in memory immediately, and writes it to the journal. */
    void enter(OpenSend entry, State state, Optional<AccountSend.Outcome> outcome) {
        State before = entry.row.state();
        long now = setup.clock().millis();
        AccountSend changed = entry.row.in(state, outcome, now);
        entry.row = changed;
        mailbox.deliver(
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
                            "nonce {} could not be recorded as {} in the journal: {}",
                            row.nonce(),
                            row.state(),
                            done.failure().map(AccountException::words).orElse("it has another state"));
            reread(entry);
        }
    }

    /** Replaces the row in memory by the journal's; the next look at the chain determines the outcome again. */
    void reread(OpenSend entry) {
        if (!entry.rereading) {
            entry.rereading = true;
            read(entry);
        }
    }

    private void read(OpenSend entry) {
        mailbox.deliver(
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

    /** Tries again later, because memory may hold a state that the journal does not have: a row whose state is over is never looked at again. */
    private void rereadLater(OpenSend entry, Throwable failure) {
        LOG.warn("nonce {} cannot be read from the journal: {}", entry.row.nonce(), AccountException.words(failure));
        mailbox.deliverLater(entry.row.id(), this::read);
    }
}
