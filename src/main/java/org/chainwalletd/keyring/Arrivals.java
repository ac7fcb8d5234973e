package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyringProtocol.Arriving;
import org.chainwalletd.keyring.KeyringProtocol.Mint;
import org.chainwalletd.keyring.KeyringProtocol.Store;
import org.chainwalletd.keyring.KeyringProtocol.Stored;
import org.chainwalletd.keyring.KeyringProtocol.StoredKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringMetrics;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.stage.Outcome;

/** Steps by which a new 1:1 key enters the keyring: checked for presence, sealed, recorded, answered. Belongs to the Keyring actor. */
final class Arrivals {
    private final KeyringParts keyring;
    private final KeyPool pool;
    private final Set<Address> arriving = new HashSet<>();
    private final List<Store> behindOthers = new ArrayList<>();
    private final int most;
    private final KeyringMetrics.Mints metrics;
    /** Calls not answered yet. */
    private int underWay;
    /** Calls whose keys are being sealed or wait for sealing. */
    private int sealing;

    /** @param most calls whose keys may be sealed concurrently */
    Arrivals(KeyringParts keyring, KeyPool pool, int most, KeyringMetrics.Mints metrics) {
        this.keyring = keyring;
        this.most = most;
        this.metrics = metrics;
        this.pool = pool;
    }

    boolean isIdle() {
        return underWay == 0;
    }

    void mint(Mint question) {
        Optional<KeyringStore.SealedKey> ready = question.standard() ? pool.take() : Optional.empty();
        if (ready.isPresent()) {
            store(
                    question,
                    Set.of(),
                    false,
                    keyring.work().store(ready.get()),
                    key -> List.of(sealedAhead(key, question)));
        } else if (!refusesAsTooMany(question)) {
            store(
                    question,
                    Set.of(),
                    true,
                    keyring.work().store(question.drawn(), keyring.passphrase(), question.abandoned()),
                    key -> List.of(new StoredKey(key.entry(), key.note())));
        }
    }

    private static StoredKey sealedAhead(KeyringStore.SealedKey key, Mint question) {
        return new StoredKey(
                new KeyEntry(key.address(), Optional.of(key.publicKey()), OptionalLong.empty(), question.label(), true),
                new KeyNote(KeyNote.Origin.STANDARD, question.birth()));
    }

    private boolean refusesAsTooMany(Arriving question) {
        boolean tooMany = sealing + behindOthers.size() >= most;
        if (tooMany) {
            metrics.refused().increment();
            question.refuse(KeyringFailures.tooManyMints(most));
        }
        return tooMany;
    }

    void begin(Store question) {
        if (refusesAsTooMany(question)) {
            return;
        }
        if (meetsOneThatLeaves(question) || question.skipPresent() && meetsOthers(question)) {
            behindOthers.add(question);
        } else {
            take(question);
        }
    }

    /**
     * Whether another call is adding one of the keys. Skipping a key as present before it is durable would report a key that may yet be
     * lost.
     */
    private boolean meetsOthers(Store question) {
        return question.keys().stream().anyMatch(key -> arriving.contains(key.address()));
    }

    /**
     * Whether one of the keys is being deleted: reporting it as present would be wrong, and the deletion would remove the files of a key
     * stored now.
     */
    private boolean meetsOneThatLeaves(Store question) {
        return question.keys().stream().anyMatch(key -> keyring.leaving().contains(key.address()));
    }

    /** Retries the waiting calls after another call has ended. */
    void goOn() {
        List<Store> next = List.copyOf(behindOthers);
        behindOthers.clear();
        next.forEach(this::begin);
    }

    /** Refuses the waiting calls on close; none of them has started anything. */
    void refuseWaiting() {
        behindOthers.forEach(question -> question.refuse(KeyringFailures.stopping()));
        behindOthers.clear();
    }

    private void take(Store question) {
        List<NewKey> wanted = new ArrayList<>();
        Set<Address> chosen = new HashSet<>();
        for (NewKey key : question.keys()) {
            boolean present =
                    keyring.table().contains(key.address()) || keyring.moving().contains(key.address());
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
        keyring.moving().addAll(chosen);
        arriving.addAll(chosen);
        store(
                question,
                chosen,
                true,
                keyring.work().storeAll(wanted, keyring.passphrase(), question.abandoned()),
                keys -> keys.stream()
                        .map(key -> new StoredKey(key.entry(), key.note()))
                        .toList());
    }

    private <T> void store(
            Arriving question,
            Set<Address> announced,
            boolean stretched,
            CompletableFuture<T> storing,
            Function<T, List<StoredKey>> keys) {
        underWay++;
        countSealing(stretched ? 1 : 0);
        Outcome.pipe(keyring.context(), storing, done -> new Stored(question, announced, stretched, done.map(keys)));
    }

    private void countSealing(int change) {
        sealing += change;
        metrics.underWay().set(sealing);
    }

    void stored(Stored outcome) {
        countSealing(outcome.stretched() ? -1 : 0);
        Arriving question = outcome.question();
        outcome.keys().match(keys -> record(question, keys), failure -> {
            discard(outcome.announced());
            end(outcome.announced());
            question.refuse(refusal(failure));
            goOn();
        });
    }

    private void record(Arriving question, List<StoredKey> keys) {
        List<KeyEntry> entries = keys.stream().map(StoredKey::entry).toList();
        Map<Address, KeyNote> notes =
                keys.stream().collect(Collectors.toMap(key -> key.entry().address(), StoredKey::note));
        keyring.moving().addAll(notes.keySet());
        keyring.writes().submit(KeyTable.Change.adding(question.before(), entries, notes, failure -> {
            if (failure.isPresent() && mayLeaveOut(question, failure.get())) {
                recordOthers(question, keys);
                return;
            }
            failure.ifPresent(refusal -> discard(notes.keySet()));
            end(notes.keySet());
            failure.ifPresentOrElse(question::refuse, () -> question.answer(entries));
            goOn();
        }));
    }

    private static boolean mayLeaveOut(Arriving question, KeyringException failure) {
        return question.skipPresent() && failure.reason() == KeyringException.Reason.ALREADY_PRESENT;
    }

    /** Records the keys without those that another daemon has added meanwhile. */
    private void recordOthers(Arriving question, List<StoredKey> keys) {
        List<StoredKey> others = keys.stream()
                .filter(key -> !keyring.table().contains(key.entry().address()))
                .toList();
        Set<Address> present = keys.stream()
                .map(key -> key.entry().address())
                .filter(keyring.table()::contains)
                .collect(Collectors.toSet());
        discard(present);
        keyring.moving().removeAll(present);
        arriving.removeAll(present);
        if (others.isEmpty()) {
            end(Set.of());
            question.answer(List.of());
            goOn();
        } else {
            record(question, others);
        }
    }

    /**
     * Discards the sealed blobs of keys that need them no more. The files of a wallet directory stay, because a record that failed may
     * be durable nevertheless.
     */
    private void discard(Set<Address> addresses) {
        if (keyring.store().isShared()) {
            addresses.forEach(keyring.store()::remove);
        }
    }

    private void end(Set<Address> addresses) {
        underWay--;
        keyring.moving().removeAll(addresses);
        arriving.removeAll(addresses);
    }

    /** Reports the close as the reason when the keyring was closed during sealing. */
    private KeyringException refusal(Throwable cause) {
        KeyringException failure = KeyringFailures.of(cause);
        if (failure.reason() == KeyringException.Reason.ABANDONED) {
            metrics.abandoned().increment();
        }
        return keyring.passphrase().isClosed() ? KeyringFailures.stopping() : failure;
    }
}
