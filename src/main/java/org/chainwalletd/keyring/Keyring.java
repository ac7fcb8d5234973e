package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringActor.Command;
import org.chainwalletd.store.CrashPoint;

/**
 * The keyring as the rest of the daemon sees it (interface.md, sections 1.3 to 1.6 and 4.11). All methods return at once; stages fail with
 * {@link KeyringException}. Secrets that are handed over belong to the keyring from then on, which overwrites them; secrets that are
 * answered belong to the caller.
 */
public final class Keyring implements Signer {
    private final ActorRef<Command> actor;
    private final AtomicReference<KeyringView> view;
    private final KeyWork work;
    private final Executor crypto;

    private Keyring(ActorRef<Command> actor, AtomicReference<KeyringView> view, KeyringSetup setup) {
        this.actor = actor;
        this.view = view;
        this.work = new KeyWork(setup, new KeyFolder(setup.wallets()));
        this.crypto = setup.executors().crypto();
    }

    /** How boot puts the keyring's actor under its guardian. */
    @FunctionalInterface
    public interface Spawner {
        <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
    }

    /**
     * Opens the keyring in {@code setup.wallets()}, or makes an empty one. Runs beside the rest of the start; a daemon must not bind a
     * socket before this has ended well. Fails with {@link KeyringException.Reason#LOCKED} for a wrong passphrase and {@link
     * KeyringException.Reason#STORAGE} for damaged files; the message names the file and the way out.
     *
     * @param passphrase UTF-8 bytes, not empty
     */
    public static CompletionStage<Keyring> open(KeyringSetup setup, SecretBytes passphrase, Spawner spawner) {
        AtomicReference<KeyringView> view = new AtomicReference<>();
        CompletableFuture<Void> opened = new CompletableFuture<>();
        ActorRef<Command> actor = spawner.spawn(KeyringActor.create(setup, passphrase, view, opened), "keyring");
        return opened.thenApplyAsync(
                done -> new Keyring(actor, view, setup), setup.executors().crypto());
    }

    @Override
    public CompletionStage<Optional<KeyEntry>> find(Address address) {
        return ask(reply -> new KeyringActor.Find(address, reply));
    }

    @Override
    public CompletionStage<Signature> sign(Address address, byte[] message) {
        return ask(reply -> new KeyringActor.Sign(address, message, reply));
    }

    @Override
    public int size() {
        return view.get().size();
    }

    /** All public entries at this moment; from memory, at no cost, whatever their number. */
    public List<KeyEntry> list() {
        return view.get().entries();
    }

    /** A new key with a standard phrase of its own. */
    public CompletionStage<KeyEntry> generateStandard(Optional<String> label) {
        return store(work.generateStandard(label), CrashPoint.MINT_BEFORE_STATE);
    }

    /** A new key whose phrase spells the secret. */
    public CompletionStage<KeyEntry> generateIndependent(Optional<String> label) {
        return store(work.generateIndependent(label), CrashPoint.MINT_BEFORE_STATE);
    }

    /** The next key of the legacy seed. */
    public CompletionStage<KeyEntry> deriveNext(Optional<String> label) {
        return CompletableFuture.runAsync(() -> Labels.check(label), crypto)
                .thenComposeAsync(checked -> ask(reply -> new KeyringActor.Derive(label, reply)), crypto);
    }

    /** Waits for the running write and overwrites everything that was unsealed. */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        actor.tell(new KeyringActor.Close(closed));
        return closed;
    }

    private CompletionStage<KeyEntry> store(CompletableFuture<NewKey> key, CrashPoint before) {
        return key.thenComposeAsync(
                        made -> this.<List<KeyEntry>>ask(
                                reply -> new KeyringActor.Store(List.of(made), false, before, reply)),
                        crypto)
                .thenApplyAsync(entries -> entries.get(0), crypto);
    }

    private <T> CompletableFuture<T> ask(Function<CompletableFuture<T>, Command> question) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        actor.tell(question.apply(reply));
        return reply;
    }
}
