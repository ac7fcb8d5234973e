package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringProtocol.Command;
import org.chainwalletd.keyring.KeyringProtocol.Store;
import org.chainwalletd.keyring.KeyringProtocol.Stored;
import org.chainwalletd.stage.Outcome;

/** The way of 1:1 keys into the keyring: not there yet, sealed, recorded, answered. Belongs to the Keyring actor. */
final class Arrivals {
    private final ActorContext<Command> context;
    private final KeyTable table;
    private final StateWrites writes;
    private final KeyWork work;
    private final Set<Address> moving;
    private final SecretBytes passphrase;
    private final Set<Address> leaving;
    private final Set<Address> arriving = new HashSet<>();
    private final List<Store> behindOthers = new ArrayList<>();
    private final int most;
    private final KeyringMetrics.Mints metrics;
    private int sealing;

    /** @param most calls whose keys may be sealed at a time */
    Arrivals(KeyringParts shared, int most, KeyringMetrics.Mints metrics) {
        this.most = most;
        this.metrics = metrics;
        this.context = shared.context();
        this.table = shared.table();
        this.writes = shared.writes();
        this.work = shared.work();
        this.moving = shared.moving();
        this.leaving = shared.leaving();
        this.passphrase = shared.passphrase();
    }

    void begin(Store question) {
        if (!question.isSealed() && sealing + behindOthers.size() >= most) {
            metrics.refused().increment();
            question.refuse(KeyringFailures.tooManyMints(most));
        } else if (meetsOneThatLeaves(question) || question.skipPresent() && meetsOthers(question)) {
            behindOthers.add(question);
        } else {
            take(question);
        }
    }

    /** Who leaves out a key that is not durable yet would say that it is there when it may be lost. */
    private boolean meetsOthers(Store question) {
        return question.keys().stream().anyMatch(key -> arriving.contains(key.address()));
    }

    /** Whoever was told that such a key is there would find it gone, and one that was stored now would lose its files to the deletion. */
    private boolean meetsOneThatLeaves(Store question) {
        return question.keys().stream().anyMatch(key -> leaving.contains(key.address()));
    }

    /** Something ended that others may have waited for. */
    void goOn() {
        List<Store> next = List.copyOf(behindOthers);
        behindOthers.clear();
        next.forEach(this::begin);
    }

    /** The keyring closes: those that wait for others have begun nothing. */
    void refuseWaiting() {
        behindOthers.forEach(question -> question.refuse(KeyringFailures.stopping()));
        behindOthers.clear();
    }

    private void take(Store question) {
        List<Arrival> wanted = new ArrayList<>();
        Set<Address> chosen = new HashSet<>();
        for (Arrival key : question.keys()) {
            boolean present = table.contains(key.address()) || moving.contains(key.address());
            if (present && !question.skipPresent()) {
                question.refuse(KeyringFailures.present(key.address()));
                return;
            }
            if (present || !chosen.add(key.address())) {
                key.close();
            } else {
                wanted.add(key);
            }
        }
        if (wanted.isEmpty()) {
            question.reply().complete(List.of());
            return;
        }
        moving.addAll(chosen);
        arriving.addAll(chosen);
        count(question, 1);
        context.pipeToSelf(
                work.storeAll(wanted, passphrase, question.abandoned()),
                (done, failure) -> new Stored(question, wanted, Outcome.of(done, failure)));
    }

    private void count(Store question, int change) {
        if (!question.isSealed()) {
            sealing += change;
            metrics.underWay().set(sealing);
        }
    }

    void stored(Stored outcome) {
        count(outcome.question(), -1);
        List<KeyEntry> entries = outcome.keys().stream().map(Arrival::entry).toList();
        outcome.sealing().match(done -> record(outcome, entries), failure -> {
            outcome.keys().forEach(Arrival::close);
            end(outcome.question(), entries, Optional.of(refusal(failure)));
        });
    }

    private void record(Stored outcome, List<KeyEntry> entries) {
        Map<Address, KeyNote> notes =
                outcome.keys().stream().collect(Collectors.toMap(Arrival::address, Arrival::note));
        writes.submit(Change.adding(
                outcome.question().before(), entries, notes, failure -> end(outcome.question(), entries, failure)));
    }

    /** Sealing fails when the keyring is closed meanwhile, and then that is the reason. */
    private KeyringException refusal(Throwable cause) {
        KeyringException failure = KeyringFailures.of(cause);
        if (failure.reason() == KeyringException.Reason.ABANDONED) {
            metrics.abandoned().increment();
        }
        return passphrase.isClosed() ? KeyringFailures.stopping() : failure;
    }

    private void end(Store question, List<KeyEntry> entries, Optional<KeyringException> failure) {
        for (KeyEntry entry : entries) {
            moving.remove(entry.address());
            arriving.remove(entry.address());
        }
        KeyringFailures.answer(question.reply(), () -> entries, failure);
        goOn();
    }
}
