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
 * The keyring as the rest of the daemon sees it (interface.md, sections 1.3 to 1.6 and 4.11). All methods return at once; stages fail with
 * {@link KeyringException}. Secrets that are handed over belong to the keyring from then on, which overwrites them; secrets that are
 * answered belong to the caller.
 */
public final class Keyring implements Signer {
    private static final BooleanSupplier NEVER = () -> false;
    /** How many blocks a birth lies below the followed height, so that no reorganisation puts a payment before it (following.md, section 2). */
    private static final long BIRTH_MARGIN = 100;

    private final KeyringQuestions questions;
    private final AtomicReference<KeyringView> view;
    /** Null until it was asked for. */
    private volatile Owned owned;
    /** Written by the actor alone. A key that it takes away is overwritten first, so that nobody signs with one that is gone. */
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

    /** The addresses of a view, by an index that is not changed any more. */
    private record Owned(KeyringView view, AddressIndex index) {}

    public EvmCustody evm() {
        return evm;
    }

    /** Files that are being read and a passphrase that is being proved, before there is an actor to own them. */
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

        /** Complete when there are files of a keyring, an empty one if there was none. Fails like {@link Keyring#open}. */
        public CompletionStage<Void> made() {
            return made;
        }

        /** Hands everything over to the keyring's actor; see {@link Keyring#open}. At most once. */
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
     * Begins to open the keyring of {@code setup}, or to make an empty one. Key stretching takes most of a daemon's start, so
     * this comes before everything that can run beside it, the actors included.
     *
     * @param passphrase UTF-8 bytes, not empty
     */
    public static Opening begin(KeyringSetup setup, SecretBytes passphrase) {
        return new Opening(setup, passphrase);
    }

    /**
     * Why {@link #open} would be refused, for who only wants to know: nothing is written, cleared away or kept. Empty when it would open.
     *
     * @param setup with executors that run what they are given at once
     */
    public static Optional<String> refusal(KeyringSetup setup, SecretBytes passphrase) {
        try {
            prove(setup, passphrase);
            return Optional.empty();
        } catch (KeyringException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** The same for who goes on with it; fails like {@link #open}. Blocks. */
    public static void prove(KeyringSetup setup, SecretBytes passphrase) {
        KeyringStore store = FolderStore.open(setup, false);
        Causes.join(
                new KeyringLoader(setup, store).load(CompletableFuture.completedFuture(null), passphrase),
                KeyringFailures::of);
    }

    /** Whether no keyring was ever made in the folder {@code wallets}, or nothing is left of it. */
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
            // Taken away at this moment: the actor knows why.
            return Optional.empty();
        }
    }

    @Override
    public boolean isAtHand(Address address) {
        return atHand.containsKey(address);
    }

    /** How many keys there are, from memory. */
    public int size() {
        return view.get().size();
    }

    /** All public entries at this moment; from memory, at no cost, whatever their number. */
    public List<KeyEntry> list() {
        return view.get().entries();
    }

    /**
     * Whether there is a key for none but these addresses, from memory; for very many at once.
     *
     * @param addresses end to end in several arrays, 32 bytes each, none of them twice
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
     * From now on keys that are drawn get a birth: a height, u64, below which no block can pay them.
     *
     * @param followedHeight of the last block that is followed; asked on any thread, must not block
     */
    public void bornBy(Supplier<OptionalLong> followedHeight) {
        this.followedHeight = followedHeight;
    }

    /**
     * From now on {@code size} standard keys are drawn and sealed ahead of time, so that {@link #generateStandard} only has to make one durable.
     *
     * @param executor seals one after the other; best one that leaves the processor to everybody else
     */
    public void keepPool(int size, Executor executor) {
        questions.tell(new KeyringProtocol.KeepPool(size, executor));
    }

    /**
     * All keys of this moment with their births, and {@code listener} hears of every change after it. Reads the births from files, which
     * the start need not wait for.
     */
    public CompletionStage<List<OwnKey>> watch(KeyEvents listener) {
        return ask(reply -> new KeyringProtocol.Watch(Optional.of(listener), reply));
    }

    /** All keys of this moment with their births. Reads files, as {@link #watch} does. */
    public CompletionStage<List<OwnKey>> keys() {
        return ask(reply -> new KeyringProtocol.Watch(Optional.empty(), reply));
    }

    /** Whether there is a key for {@code address}, from memory. After a change of the keyring the first question costs all addresses. */
    public boolean owns(Address address) {
        KeyringView now = view.get();
        Owned known = owned;
        if (known == null || known.view() != now) {
            known = new Owned(now, AddressIndex.of(now.columns().records(), now.size()));
            owned = known;
        }
        return known.index().find(now.columns().records(), address.toArray()) >= 0;
    }

    /** Empty as long as it is not known how high the chain is. */
    private OptionalLong birthNow() {
        OptionalLong height = followedHeight.get();
        if (height.isEmpty()) {
            return height;
        }
        boolean young = Long.compareUnsigned(height.getAsLong(), BIRTH_MARGIN) < 0;
        return OptionalLong.of(young ? 0 : height.getAsLong() - BIRTH_MARGIN);
    }

    /** A new key with a standard phrase of its own, for somebody who waits for it to the end. */
    public CompletionStage<KeyEntry> generateStandard(Optional<String> label) {
        return generateStandard(label, NEVER);
    }

    /**
     * A new key with a standard phrase of its own. Fails with {@link Reason#TOO_MANY_ATTEMPTS} while too many are being made.
     *
     * @param abandoned whether nobody waits for it any more: then none is made, unless it is sealed already
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

    /** A new key whose phrase spells the secret, for somebody who waits for it to the end. */
    public CompletionStage<KeyEntry> generateIndependent(Optional<String> label) {
        return generateIndependent(label, NEVER);
    }

    /** A new key whose phrase spells the secret; otherwise as {@link #generateStandard(Optional, BooleanSupplier)}. */
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

    public CompletionStage<KeyEntry> deriveNext(Optional<String> label) {
        return askLabelled(label, reply -> new KeyringProtocol.Derive(label, reply));
    }

    /**
     * Changes the label of an address, durably.
     *
     * @param label empty takes it away
     */
    public CompletionStage<Optional<String>> setLabel(Address address, Optional<String> label) {
        return askLabelled(label, reply -> new KeyringProtocol.SetLabel(address, label, reply));
    }

    /** @param secretHex 64 hexadecimal characters */
    public CompletionStage<KeyEntry> importSecret(SecretBytes secretHex, Optional<String> label) {
        return bring(() -> NewKey.ofSecret(sealer, secretHex, label));
    }

    /** @param words 24 words that spell the secret, in UTF-8, with any white space */
    public CompletionStage<KeyEntry> importIndependent(SecretBytes words, Optional<String> label) {
        return bring(() -> NewKey.ofIndependentPhrase(sealer, words, label));
    }

    /** @param words 24 words of a standard phrase, in UTF-8, with any white space; kept with the key */
    public CompletionStage<KeyEntry> importStandard(SecretBytes words, Optional<String> label) {
        return bring(() -> NewKey.ofStandardPhrase(sealer, words, label));
    }

    /** The secret of any key as 64 hexadecimal characters. */
    public CompletionStage<SecretBytes> revealSecret(Address address, SecretBytes passphrase) {
        return reveals.secret(address, passphrase);
    }

    /**
     * The 24 words of a 1:1 key with single spaces between them: the standard phrase where there is one, otherwise the words that spell the
     * secret. A legacy HD key has none of its own.
     */
    public CompletionStage<SecretBytes> revealPhrase(Address address, SecretBytes passphrase) {
        return reveals.phrase(address, passphrase);
    }

    /** The 24 words of the legacy seed with single spaces between them. */
    public CompletionStage<SecretBytes> revealSeedPhrase(SecretBytes passphrase) {
        if (!seeded) {
            passphrase.close();
            return CompletableFuture.failedFuture(KeyringFailures.seedless());
        }
        return reveals.seedPhrase(passphrase);
    }

    /**
     * Removes a key and all that belongs to it, after the passphrase was proved on its own file and {@code guard} had nothing against it.
     *
     * @param guard empty to remove it whatever it holds
     */
    public CompletionStage<Address> delete(Address address, SecretBytes passphrase, Optional<DeletionGuard> guard) {
        return reveals.delete(address, passphrase, guard);
    }

    /** A vault with one key. */
    public CompletionStage<Bytes> exportAddress(Address address, SecretBytes vaultPassphrase) {
        return exports.one(() -> Flows.join(questions.entry(address)), questions::lent, vaultPassphrase);
    }

    /**
     * A vault with every key that can be unsealed, and the names of those that cannot. Costs one Argon2id per key that is not unsealed yet and one per standard phrase, one after the other, so that
     * others are not held up; one export at a time.
     */
    public CompletionStage<VaultExport.Export> exportVault(SecretBytes vaultPassphrase) {
        return exports.all(view::get, evm::forVault, questions::lent, vaultPassphrase);
    }

    /** Takes in the keys of a vault that are not there yet, all together; answers their addresses in the order of the vault. */
    public CompletionStage<List<Address>> importVault(Bytes vault, SecretBytes vaultPassphrase) {
        return questions
                .attemptVault(() -> work.openVault(vault, vaultPassphrase))
                .whenCompleteAsync((keys, failure) -> vaultPassphrase.close(), crypto)
                .thenComposeAsync(this::takeIn, crypto);
    }

    private CompletableFuture<List<Address>> takeIn(Vault.Contents vault) {
        return this.<List<KeyEntry>>ask(reply ->
                        new KeyringProtocol.Store(vault.keys(), true, CrashPoint.VAULT_IMPORT_BEFORE_STATE, reply))
                .thenApplyAsync(
                        entries -> entries.stream().map(KeyEntry::address).toList(), crypto)
                .thenComposeAsync(
                        addresses -> evm.restore(vault.evmKeys()).thenApplyAsync(done -> addresses, crypto), crypto)
                .whenCompleteAsync((done, failure) -> vault.close(), crypto);
    }

    /**
     * Overwrites everything that was unsealed, lets the changes that have begun become durable and be answered, and refuses whatever is asked
     * from now on.
     */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        questions.tell(new KeyringProtocol.Close(evm.close(), closed));
        return closed;
    }

    private CompletionStage<KeyEntry> bring(Supplier<NewKey> key) {
        return Work.on(crypto, key)
                .thenComposeAsync(
                        made -> this.<List<KeyEntry>>ask(reply ->
                                new KeyringProtocol.Store(List.of(made), false, CrashPoint.IMPORT_BEFORE_STATE, reply)),
                        crypto)
                .thenApplyAsync(entries -> entries.get(0), crypto);
    }

    /**
     * Seals and opens the rows of the swap journal. Costs one Argon2id.
     *
     * @param like a row whose key is shared; empty when there is none yet
     */
    public CompletionStage<SealedRecords> swapJournal(Optional<Bytes> like) {
        return records(Sealer.Role.SWAP_JOURNAL, like);
    }

    /** The same for what is sent on the account chain. */
    public CompletionStage<SealedRecords> accountSends(Optional<Bytes> like) {
        return records(Sealer.Role.ACCOUNT_SENDS, like);
    }

    /** The same for the certificate of the daemons of a database. */
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
