package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.keyring.KeyringProtocol.Command;
import org.chainwalletd.keyring.evm.EvmCustody;
import org.chainwalletd.keyring.store.AddressIndex;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyFolder;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringMetrics;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.files.CrashPoint;

/**
 * Keyring as the rest of the daemon sees it (interface.md, sections 1.3 to 1.6 and 4.11). All methods return at once, except those that say
 * that they block; stages fail with {@link KeyringException}. The keyring takes ownership of secrets passed to it and overwrites them; the
 * caller owns secrets that are returned.
 *
 * <p>A call with a parameter {@code abandoned} asks before each Argon2id whether its caller has left or its token has ended; if so, it does
 * nothing more and fails with {@link Reason#ABANDONED}.
 */
public final class Keyring implements Signer {
    private static final BooleanSupplier NEVER = () -> false;
    /**
     * Blocks subtracted from the followed height to get a birth, so that no reorganisation puts a payment below it (following.md, section
     * 2).
     */
    private static final long BIRTH_MARGIN = 100;

    private final KeyringQuestions questions;
    private final AtomicReference<KeyringView> view;
    /** Null until first needed. */
    private volatile Owned owned;
    /** Unsealed keys, written only by the actor. It overwrites a key before it removes it, so that no caller signs with a removed key. */
    private final Map<Address, SigningKey> atHand;

    private final boolean seeded;
    private volatile Supplier<OptionalLong> followedHeight = OptionalLong::empty;
    private final Sealer sealer;
    private final KeyWork work;
    private final VaultExport exports;
    private final Executor crypto;
    private final KeyringSetup setup;
    private final EvmCustody evm;
    private final KeyReveals reveals;

    private Keyring(
            KeyringActor.Groundwork groundwork,
            ActorRef<Command> actor,
            AtomicReference<KeyringView> view,
            Spawner spawner) {
        KeyringSetup setup = groundwork.setup();
        this.view = view;
        this.atHand = groundwork.atHand();
        this.seeded = groundwork.loaded().join().seeded();
        KeyringMetrics metrics = new KeyringMetrics(setup.metrics(), view);
        this.questions = new KeyringQuestions(actor, setup, metrics, spawner);
        this.sealer = setup.sealer();
        this.work = new KeyWork(setup, groundwork.store());
        this.exports = new VaultExport(work, setup.executors());
        this.crypto = setup.executors().crypto();
        this.setup = setup;
        this.reveals = new KeyReveals(questions, work, view::get, crypto);
        this.evm = new EvmCustody(
                setup,
                groundwork.store(),
                groundwork.loaded().join(),
                new EvmCustody.OfSeed(work::evmSecretOfSeed, work::seedPhrase),
                (before, change) ->
                        Flows.join(this.<Void>ask(reply -> new KeyringProtocol.RecordEvmKey(before, change, reply))),
                () -> {
                    if (groundwork.store().isShared()) {
                        actor.tell(new KeyringProtocol.TellEvmKeys());
                    }
                },
                groundwork.passphrase().duplicate(),
                questions::attempt,
                behavior -> spawner.spawn(behavior, "evm-keys"));
        actor.tell(new KeyringProtocol.FollowEvmKeys(evm::follow));
    }

    /** Address index of a view; not modified after construction. */
    private record Owned(KeyringView view, AddressIndex index) {}

    public EvmCustody evm() {
        return evm;
    }

    /** Keyring whose files are being read and whose passphrase is being verified, before an actor owns them. */
    public static final class Opening {
        private final CompletableFuture<Void> made;
        private final KeyringActor.Groundwork groundwork;

        private Opening(KeyringSetup setup, SecretBytes passphrase) {
            KeyringStore store = FolderStore.open(setup, true);
            this.made =
                    CompletableFuture.runAsync(store::make, setup.executors().disk());
            this.groundwork = new KeyringActor.Groundwork(
                    setup,
                    passphrase,
                    store,
                    new KeyringLoader(setup, store).load(made, passphrase),
                    new ConcurrentHashMap<>());
        }

        /** Completes when the keyring's files exist; an empty keyring is created if there was none. Fails like {@link Keyring#open}. */
        public CompletionStage<Void> made() {
            return made;
        }

        /** Passes everything to the keyring's actor; see {@link Keyring#open}. Call at most once. */
        public CompletionStage<Keyring> under(Spawner spawner) {
            AtomicReference<KeyringView> published = new AtomicReference<>();
            CompletableFuture<Void> opened = new CompletableFuture<>();
            ActorRef<Command> actor = spawner.spawn(KeyringActor.create(groundwork, published, opened), "keyring");
            return opened.thenApplyAsync(
                    done -> new Keyring(groundwork, actor, published, spawner),
                    groundwork.setup().executors().crypto());
        }
    }

    /**
     * Begins to open the keyring of {@code setup}, or to create an empty one. Key stretching takes most of a daemon's start, so call this
     * before everything that can run in parallel, including the start of the actors.
     *
     * @param passphrase UTF-8 bytes, not empty
     */
    public static Opening begin(KeyringSetup setup, SecretBytes passphrase) {
        return new Opening(setup, passphrase);
    }

    /**
     * Returns why {@link #open} would fail; empty if it would succeed. Read-only: writes and deletes no files and keeps nothing open.
     * Blocks.
     *
     * @param setup with executors that run tasks on the calling thread
     */
    public static Optional<String> refusal(KeyringSetup setup, SecretBytes passphrase) {
        try {
            prove(setup, passphrase);
            return Optional.empty();
        } catch (KeyringException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Verifies passphrase and files like {@link #refusal}, but throws; fails like {@link #open}. Blocks. */
    public static void prove(KeyringSetup setup, SecretBytes passphrase) {
        KeyringStore store = FolderStore.open(setup, false);
        Causes.join(
                new KeyringLoader(setup, store).load(CompletableFuture.completedFuture(null), passphrase),
                KeyringFailures::of);
    }

    /** Whether the folder {@code wallets} never held a keyring, or nothing of it is left. */
    public static boolean isMissing(Path wallets) throws IOException {
        return new KeyFolder(wallets).isFree();
    }

    @Override
    public CompletionStage<Optional<KeyEntry>> find(Address address) {
        return ask(reply -> new KeyringProtocol.Find(address, true, reply));
    }

    @Override
    public CompletionStage<Signature> sign(Address address, byte[] message) {
        return ask(reply -> new KeyringProtocol.Sign(address, message, reply));
    }

    @Override
    public Optional<Signature> signAtHand(Address address, byte[] message) {
        SigningKey key = atHand.get(address);
        if (key == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Signature(PublicKey.of(key.publicKey()), key.sign(message)));
        } catch (IllegalStateException e) {
            // Closed and removed concurrently; the actor answers with the reason.
            return Optional.empty();
        }
    }

    @Override
    public boolean isAtHand(Address address) {
        return atHand.containsKey(address);
    }

    /** Number of keys, from memory. */
    public int size() {
        return view.get().size();
    }

    /** All public entries at this moment, from memory; constant cost for any number of keys. */
    public List<KeyEntry> list() {
        return view.get().entries();
    }

    /**
     * Whether the keyring has no key outside {@code addresses}, from memory; suited to very many addresses.
     *
     * @param addresses concatenated in several arrays, 32 bytes each, without duplicates
     */
    public boolean hasOnly(List<byte[]> addresses) {
        KeyringView now = view.get();
        byte[] records = now.columns().records();
        AddressIndex index = AddressIndex.of(records, now.size());
        int found = 0;
        for (byte[] some : addresses) {
            for (int at = 0; at < some.length; at += Address.LENGTH) {
                found += index.find(records, some, at) >= 0 ? 1 : 0;
            }
        }
        return found == index.size();
    }

    /**
     * Gives keys that are generated from now on a birth: a height, u64, below which no block can pay them.
     *
     * @param followedHeight height of the last followed block; called on any thread, must not block
     */
    public void bornBy(Supplier<OptionalLong> followedHeight) {
        this.followedHeight = followedHeight;
    }

    /**
     * Keeps {@code size} standard keys generated and sealed in advance, so that {@link #generateStandard} only has to make one durable.
     *
     * @param executor seals one key at a time; preferably at low priority
     */
    public void keepPool(int size, Executor executor) {
        questions.tell(new KeyringProtocol.KeepPool(size, executor));
    }

    /**
     * Returns all current keys with their births and reports every later change to {@code listener}. Reads the births from files, which the
     * daemon's start does not wait for.
     */
    public CompletionStage<List<OwnKey>> watch(KeyEvents listener) {
        return ask(reply -> new KeyringProtocol.Watch(Optional.of(listener), reply));
    }

    /** Returns all current keys with their births. Reads files, as {@link #watch} does. */
    public CompletionStage<List<OwnKey>> keys() {
        return ask(reply -> new KeyringProtocol.Watch(Optional.empty(), reply));
    }

    /** Whether the keyring has a key for {@code address}, from memory. The first call after a change indexes all addresses. */
    public boolean owns(Address address) {
        KeyringView now = view.get();
        Owned known = owned;
        if (known == null || known.view() != now) {
            known = new Owned(now, AddressIndex.of(now.columns().records(), now.size()));
            owned = known;
        }
        return known.index().find(now.columns().records(), address.toArray()) >= 0;
    }

    /** Birth of a key generated now; empty while the followed height is unknown. */
    private OptionalLong birthNow() {
        OptionalLong height = followedHeight.get();
        if (height.isEmpty()) {
            return height;
        }
        boolean young = Long.compareUnsigned(height.getAsLong(), BIRTH_MARGIN) < 0;
        return OptionalLong.of(young ? 0 : height.getAsLong() - BIRTH_MARGIN);
    }

    /** Generates a key with its own standard phrase; cannot be abandoned. */
    public CompletionStage<KeyEntry> generateStandard(Optional<String> label) {
        return generateStandard(label, NEVER);
    }

    /**
     * Generates a key with its own standard phrase. Fails with {@link Reason#TOO_MANY_ATTEMPTS} while too many are being generated.
     *
     * @param abandoned whether the caller has stopped waiting; if so, no key is made unless it is already sealed
     */
    public CompletionStage<KeyEntry> generateStandard(Optional<String> label, BooleanSupplier abandoned) {
        OptionalLong birth = birthNow();
        return mint(
                () -> NewKey.standard(sealer, sealer.newPhrase(), label).born(birth), true, label, birth, abandoned);
    }

    private CompletionStage<KeyEntry> mint(
            Supplier<NewKey> drawn,
            boolean standard,
            Optional<String> label,
            OptionalLong birth,
            BooleanSupplier abandoned) {
        return askLabelled(label, reply -> new KeyringProtocol.Mint(drawn, standard, label, birth, abandoned, reply));
    }

    /** Generates a key whose phrase encodes the secret itself; cannot be abandoned. */
    public CompletionStage<KeyEntry> generateIndependent(Optional<String> label) {
        return generateIndependent(label, NEVER);
    }

    /** Generates a key whose phrase encodes the secret itself; otherwise as {@link #generateStandard(Optional, BooleanSupplier)}. */
    public CompletionStage<KeyEntry> generateIndependent(Optional<String> label, BooleanSupplier abandoned) {
        OptionalLong birth = birthNow();
        return mint(
                () -> NewKey.alone(sealer, sealer.newSecret(), KeyNote.Origin.INDEPENDENT, label)
                        .born(birth),
                false,
                label,
                birth,
                abandoned);
    }

    /** Derives the next key of the legacy seed; cannot be abandoned. */
    public CompletionStage<KeyEntry> deriveNext(Optional<String> label) {
        return deriveNext(label, NEVER);
    }

    /** Derives the next key of the legacy seed. */
    public CompletionStage<KeyEntry> deriveNext(Optional<String> label, BooleanSupplier abandoned) {
        return askLabelled(label, reply -> new KeyringProtocol.Derive(label, abandoned, reply));
    }

    /**
     * Changes the label of an address, durably.
     *
     * @param label empty removes it
     */
    public CompletionStage<Optional<String>> setLabel(Address address, Optional<String> label) {
        return askLabelled(label, reply -> new KeyringProtocol.SetLabel(address, label, reply));
    }

    /** Imports a key; cannot be abandoned. */
    public CompletionStage<KeyEntry> importSecret(SecretBytes secretHex, Optional<String> label) {
        return importSecret(secretHex, label, NEVER);
    }

    /** @param secretHex 64 hexadecimal characters */
    public CompletionStage<KeyEntry> importSecret(
            SecretBytes secretHex, Optional<String> label, BooleanSupplier abandoned) {
        return bring(() -> NewKey.ofSecret(sealer, secretHex, label), abandoned);
    }

    /** Imports a key; cannot be abandoned. */
    public CompletionStage<KeyEntry> importIndependent(SecretBytes words, Optional<String> label) {
        return importIndependent(words, label, NEVER);
    }

    /** @param words 24 words that encode the secret, in UTF-8, separated by any white space */
    public CompletionStage<KeyEntry> importIndependent(
            SecretBytes words, Optional<String> label, BooleanSupplier abandoned) {
        return bring(() -> NewKey.ofIndependentPhrase(sealer, words, label), abandoned);
    }

    /** Imports a key; cannot be abandoned. */
    public CompletionStage<KeyEntry> importStandard(SecretBytes words, Optional<String> label) {
        return importStandard(words, label, NEVER);
    }

    /** @param words 24 words of a standard phrase, in UTF-8, separated by any white space; stored with the key */
    public CompletionStage<KeyEntry> importStandard(
            SecretBytes words, Optional<String> label, BooleanSupplier abandoned) {
        return bring(() -> NewKey.ofStandardPhrase(sealer, words, label), abandoned);
    }

    /** Returns the secret of any key; cannot be abandoned. */
    public CompletionStage<SecretBytes> revealSecret(Address address, SecretBytes passphrase) {
        return revealSecret(address, passphrase, NEVER);
    }

    /** Returns the secret of any key as 64 hexadecimal characters. */
    public CompletionStage<SecretBytes> revealSecret(
            Address address, SecretBytes passphrase, BooleanSupplier abandoned) {
        return reveals.secret(address, passphrase, abandoned);
    }

    /** Returns the words of a 1:1 key; cannot be abandoned. */
    public CompletionStage<SecretBytes> revealPhrase(Address address, SecretBytes passphrase) {
        return revealPhrase(address, passphrase, NEVER);
    }

    /**
     * Returns the 24 words of a 1:1 key separated by single spaces: the standard phrase if there is one, otherwise the words that encode
     * the secret. A legacy HD key has no phrase of its own.
     */
    public CompletionStage<SecretBytes> revealPhrase(
            Address address, SecretBytes passphrase, BooleanSupplier abandoned) {
        return reveals.phrase(address, passphrase, abandoned);
    }

    /** Returns the words of the legacy seed; cannot be abandoned. */
    public CompletionStage<SecretBytes> revealSeedPhrase(SecretBytes passphrase) {
        return revealSeedPhrase(passphrase, NEVER);
    }

    /** Returns the 24 words of the legacy seed separated by single spaces. */
    public CompletionStage<SecretBytes> revealSeedPhrase(SecretBytes passphrase, BooleanSupplier abandoned) {
        if (!seeded) {
            passphrase.close();
            return CompletableFuture.failedFuture(KeyringFailures.seedless());
        }
        return reveals.seedPhrase(passphrase, abandoned);
    }

    /** Removes a key; cannot be abandoned. */
    public CompletionStage<Address> delete(Address address, SecretBytes passphrase, Optional<DeletionGuard> guard) {
        return delete(address, passphrase, guard, NEVER);
    }

    /**
     * Removes a key and everything that belongs to it, after the passphrase was verified against the key's own file and {@code guard} did
     * not object.
     *
     * @param guard empty to remove the key whatever it holds
     */
    public CompletionStage<Address> delete(
            Address address, SecretBytes passphrase, Optional<DeletionGuard> guard, BooleanSupplier abandoned) {
        return reveals.delete(address, passphrase, guard, abandoned);
    }

    /** Exports a vault with one key; cannot be abandoned. */
    public CompletionStage<Bytes> exportAddress(Address address, SecretBytes vaultPassphrase) {
        return exportAddress(address, vaultPassphrase, NEVER);
    }

    /** Exports a vault with one key. */
    public CompletionStage<Bytes> exportAddress(
            Address address, SecretBytes vaultPassphrase, BooleanSupplier abandoned) {
        return exports.one(() -> Flows.join(questions.entry(address)), questions::lent, vaultPassphrase, abandoned);
    }

    /** Exports a vault with every key that can be unsealed; cannot be abandoned. */
    public CompletionStage<VaultExport.Export> exportVault(SecretBytes vaultPassphrase) {
        return exportVault(vaultPassphrase, NEVER);
    }

    /**
     * Exports a vault with every key that can be unsealed, and the names of those that cannot. Costs one Argon2id per key that is not
     * unsealed yet and one per standard phrase, one after the other so that other calls are not held up; one export at a time.
     */
    public CompletionStage<VaultExport.Export> exportVault(SecretBytes vaultPassphrase, BooleanSupplier abandoned) {
        return exports.all(view::get, evm::forVault, questions::lent, vaultPassphrase, abandoned);
    }

    /** Imports the keys of a vault; cannot be abandoned. */
    public CompletionStage<List<Address>> importVault(Bytes vault, SecretBytes vaultPassphrase) {
        return importVault(vault, vaultPassphrase, NEVER);
    }

    /** Imports the keys of a vault that the keyring does not have yet, all together; returns the addresses in the order of the vault. */
    public CompletionStage<List<Address>> importVault(
            Bytes vault, SecretBytes vaultPassphrase, BooleanSupplier abandoned) {
        return questions
                .attemptVault(abandoned, () -> work.openVault(vault, vaultPassphrase))
                .whenCompleteAsync((keys, failure) -> vaultPassphrase.close(), crypto)
                .thenComposeAsync(keys -> takeIn(keys, abandoned), crypto);
    }

    private CompletableFuture<List<Address>> takeIn(Vault.Contents vault, BooleanSupplier abandoned) {
        return this.<List<KeyEntry>>ask(reply -> new KeyringProtocol.Store(
                        vault.keys(), true, CrashPoint.VAULT_IMPORT_BEFORE_STATE, abandoned, reply))
                .thenApplyAsync(
                        entries -> entries.stream().map(KeyEntry::address).toList(), crypto)
                .thenComposeAsync(
                        addresses -> evm.restore(vault.evmKeys()).thenApplyAsync(done -> addresses, crypto), crypto)
                .whenCompleteAsync((done, failure) -> vault.close(), crypto);
    }

    /** Overwrites all unsealed secrets, lets changes in progress become durable and be answered, and refuses all later questions. */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        questions.tell(new KeyringProtocol.Close(evm.close(), closed));
        return closed;
    }

    private CompletionStage<KeyEntry> bring(Supplier<NewKey> key, BooleanSupplier abandoned) {
        return Work.on(crypto, key)
                .thenComposeAsync(
                        made -> this.<List<KeyEntry>>ask(reply -> new KeyringProtocol.Store(
                                List.of(made), false, CrashPoint.IMPORT_BEFORE_STATE, abandoned, reply)),
                        crypto)
                .thenApplyAsync(entries -> entries.get(0), crypto);
    }

    /**
     * Opens the sealer of the swap journal's rows. Costs one Argon2id.
     *
     * @param like a row whose sealing key is reused; empty when there is none yet
     */
    public CompletionStage<SealedRecords> swapJournal(Optional<Bytes> like) {
        return records(Sealer.Role.SWAP_JOURNAL, like);
    }

    /** Opens the sealer of the rows about sends on the account chain; otherwise as {@link #swapJournal}. */
    public CompletionStage<SealedRecords> accountSends(Optional<Bytes> like) {
        return records(Sealer.Role.ACCOUNT_SENDS, like);
    }

    /** Opens the sealer of the certificate shared by the daemons of a database; otherwise as {@link #swapJournal}. */
    public CompletionStage<SealedRecords> tlsIdentity(Optional<Bytes> like) {
        return records(Sealer.Role.TLS_IDENTITY, like);
    }

    private CompletionStage<SealedRecords> records(Sealer.Role role, Optional<Bytes> like) {
        return SealedRecords.open(role.bytes(setup.profile()), setup.random(), like, this::derived, crypto);
    }

    private CompletableFuture<SecretBytes> derived(Bytes salt) {
        return this.<KeyringProtocol.Lent>ask(KeyringProtocol.Lend::new)
                .thenApplyAsync(
                        lent -> {
                            try (SecretBytes passphrase = lent.passphrase()) {
                                return passphrase.use(phrase -> setup.cost().derive(phrase, salt.toArray()));
                            }
                        },
                        setup.executors().argon2().of(Urgency.SPEND));
    }

    private <T> CompletableFuture<T> askLabelled(
            Optional<String> label, Function<CompletableFuture<T>, Command> question) {
        try {
            KeyEntry.checkLabel(label);
        } catch (KeyringException e) {
            return CompletableFuture.failedFuture(e);
        }
        return ask(question);
    }

    private <T> CompletableFuture<T> ask(Function<CompletableFuture<T>, Command> question) {
        return questions.ask(question);
    }
}
