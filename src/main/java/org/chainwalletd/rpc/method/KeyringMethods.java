package org.chainwalletd.rpc.method;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Keys;
import org.chainwalletd.api.Keys.DeleteAddress;
import org.chainwalletd.api.Keys.ExportAddress;
import org.chainwalletd.api.Keys.ExportVault;
import org.chainwalletd.api.Keys.GenerateAddress;
import org.chainwalletd.api.Keys.GenerateIndependentAddress;
import org.chainwalletd.api.Keys.GenerateStandardAddress;
import org.chainwalletd.api.Keys.ImportMnemonic;
import org.chainwalletd.api.Keys.ImportPrivateKey;
import org.chainwalletd.api.Keys.ImportStandardMnemonic;
import org.chainwalletd.api.Keys.ImportVault;
import org.chainwalletd.api.Keys.ListAddresses;
import org.chainwalletd.api.Keys.NewKey;
import org.chainwalletd.api.Keys.RevealAddressMnemonic;
import org.chainwalletd.api.Keys.RevealMnemonic;
import org.chainwalletd.api.Keys.RevealPrivateKey;
import org.chainwalletd.api.Keys.UnwatchAddress;
import org.chainwalletd.api.Keys.WatchAddress;
import org.chainwalletd.api.OwnPayments.SetLabel;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Address;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.coins.WatchOnly;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.VaultExport;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.WatchStore;

/**
 * Handlers of the methods of {@link org.chainwalletd.api.Keys}.
 *
 * <p>A new key is first made durable, then watched on the chain, and only then returned to the caller. A crash in between leaves a key that
 * no caller knows; the next start watches it. No key is created while the books are known to be unavailable. A key generated here has no
 * history; an imported key, or one derived from a seed that may have been used elsewhere, may have coins.
 */
public record KeyringMethods(
        Keyring keyring, CoinLedger ledger, WatchOnly watchOnly, DeletionGuard guard, Executor executor) {
    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(
                        GenerateStandardAddress.class,
                        (call, context) -> generated(context, gone -> keyring.generateStandard(call.label(), gone))),
                RpcMethod.of(
                        GenerateIndependentAddress.class,
                        (call, context) -> generated(context, gone -> keyring.generateIndependent(call.label(), gone))),
                RpcMethod.of(GenerateAddress.class, this::deriveNext),
                RpcMethod.of(
                        ImportPrivateKey.class,
                        (call, context) -> importedKey(
                                context, gone -> keyring.importSecret(call.privateKey(), call.label(), gone))),
                RpcMethod.of(
                        ImportMnemonic.class,
                        (call, context) -> importedKey(
                                context, gone -> keyring.importIndependent(call.mnemonic(), call.label(), gone))),
                RpcMethod.of(
                        ImportStandardMnemonic.class,
                        (call, context) -> importedKey(
                                context, gone -> keyring.importStandard(call.mnemonic(), call.label(), gone))),
                RpcMethod.of(ListAddresses.class, this::list),
                RpcMethod.of(WatchAddress.class, this::watch),
                RpcMethod.of(UnwatchAddress.class, this::unwatch),
                RpcMethod.of(SetLabel.class, this::setLabel),
                RpcMethod.of(RevealAddressMnemonic.class, this::revealPhrase),
                RpcMethod.of(
                        RevealMnemonic.class,
                        (call, context) -> keyring.revealSeedPhrase(call.passphrase(), context::isGone),
                        phrase -> new RevealMnemonic.Result(Words.of(phrase)),
                        executor),
                RpcMethod.of(RevealPrivateKey.class, this::revealSecret),
                RpcMethod.of(ExportAddress.class, this::exportAddress),
                RpcMethod.of(
                        ExportVault.class,
                        (call, context) -> keyring.exportVault(call.passphrase(), context::isGone),
                        KeyringMethods::exported,
                        executor),
                RpcMethod.of(ImportVault.class, this::importVault),
                RpcMethod.of(DeleteAddress.class, this::delete));
    }

    private CompletionStage<GenerateAddress.Result> deriveNext(GenerateAddress call, CallContext context) {
        return withHistory(context, gone -> keyring.deriveNext(call.label(), gone))
                .thenApplyAsync(
                        stored -> new GenerateAddress.Result(
                                stored.key().address(),
                                stored.key().knownPublicKey(),
                                stored.key().index().orElseThrow(),
                                stored.rescanBlocksLeft()),
                        executor);
    }

    private CompletionStage<ImportVault.Result> importVault(ImportVault call, CallContext context) {
        return made(context, gone -> keyring.importVault(call.vaultHex(), call.passphrase(), gone))
                .thenComposeAsync(addresses -> watched(addresses, addresses), executor)
                .thenApplyAsync(stored -> new ImportVault.Result(stored.key(), stored.rescanBlocksLeft()), executor);
    }

    /** Creates keys, unless the books are known to be unavailable, so that the keys could not be watched, or {@link #unlessGone}. */
    private <T> CompletionStage<T> made(CallContext context, Function<BooleanSupplier, CompletionStage<T>> making) {
        return ledger.away()
                .map(CompletableFuture::<T>failedStage)
                .orElseGet(() -> unlessGone(context, making, executor));
    }

    /**
     * Makes or deletes keys, unless the caller is gone before their turn: it has left, or its token has ended, which is then the answer.
     *
     * @param making receives whether the caller is gone
     */
    static <T> CompletionStage<T> unlessGone(
            CallContext context, Function<BooleanSupplier, CompletionStage<T>> making, Executor executor) {
        return making.apply(context::isGone)
                .exceptionallyComposeAsync(
                        failure -> CompletableFuture.failedStage(instead(Causes.of(failure), context.grant())),
                        executor);
    }

    /** Creates a key without history, so that no blocks need to be rescanned. */
    private CompletionStage<NewKey> generated(
            CallContext context, Function<BooleanSupplier, CompletionStage<KeyEntry>> making) {
        return made(context, making)
                .thenComposeAsync(
                        entry -> reportingCreation(List.of(entry.address()), ledger.watchFresh(entry.address()))
                                .thenApplyAsync(watched -> newKey(entry, OptionalLong.empty()), executor),
                        executor);
    }

    private static Throwable instead(Throwable failure, Grant grant) {
        boolean notMade =
                failure instanceof KeyringException refused && refused.reason() == KeyringException.Reason.ABANDONED;
        Optional<Refusal> end = notMade ? grant.objectionIfEnded() : Optional.empty();
        return end.<Throwable>map(RefusedException::new).orElse(failure);
    }

    /**
     * Converts a failure to watch new keys into an error that says that the keys exist; otherwise the caller would repeat the call and create
     * more.
     */
    private <T> CompletionStage<T> reportingCreation(List<Address> keys, CompletionStage<T> watching) {
        return watching.exceptionallyComposeAsync(
                failure -> CompletableFuture.failedStage(notWatched(keys, Causes.of(failure))), executor);
    }

    private static RefusedException notWatched(List<Address> keys, Throwable failure) {
        String made = keys.size() == 1
                ? "address " + keys.get(0) + " was made"
                : keys.size() + " addresses were made, the first of them " + keys.get(0);
        String why = failure instanceof StoreException ? ": " + failure.getMessage() : "";
        return new RefusedException(
                ErrorCode.INTERNAL_ERROR,
                made + ", but what is paid there is not credited yet" + why
                        + "; the daemon makes up for that by itself, so do not repeat the call");
    }

    private CompletionStage<NewKey> importedKey(
            CallContext context, Function<BooleanSupplier, CompletionStage<KeyEntry>> making) {
        return withHistory(context, making)
                .thenApplyAsync(stored -> newKey(stored.key(), stored.rescanBlocksLeft()), executor);
    }

    private static NewKey newKey(KeyEntry entry, OptionalLong rescanBlocksLeft) {
        return new NewKey(entry.address(), entry.knownPublicKey(), true, rescanBlocksLeft);
    }

    /**
     * Keys that may have a history.
     *
     * @param rescanBlocksLeft number of blocks still to be rescanned; empty if no rescan is running
     */
    private record KeysWithHistory<T>(T key, OptionalLong rescanBlocksLeft) {}

    private CompletionStage<KeysWithHistory<KeyEntry>> withHistory(
            CallContext context, Function<BooleanSupplier, CompletionStage<KeyEntry>> making) {
        return made(context, making).thenComposeAsync(entry -> watched(entry, List.of(entry.address())), executor);
    }

    private <T> CompletionStage<KeysWithHistory<T>> watched(T key, List<Address> addresses) {
        if (addresses.isEmpty()) {
            return CompletableFuture.completedFuture(new KeysWithHistory<>(key, OptionalLong.empty()));
        }
        return reportingCreation(addresses, ledger.watchOld(addresses))
                .thenApplyAsync(left -> new KeysWithHistory<>(key, left), executor);
    }

    private CompletionStage<ListAddresses.Result> list(ListAddresses call) {
        return CompletableFuture.supplyAsync(
                () -> new ListAddresses.Result(
                        keyring.list().stream().map(KeyringMethods::listed).toList(),
                        call.includeWatchOnly().orElse(false)
                                ? Optional.of(watchOnly.list().stream()
                                        .map(KeyringMethods::listed)
                                        .toList())
                                : Optional.empty()),
                executor);
    }

    private static ListAddresses.WatchOnlyEntry listed(WatchStore.WatchOnly row) {
        return new ListAddresses.WatchOnlyEntry(row.address(), row.label(), row.birth(), Keys.WATCH_ONLY);
    }

    private CompletionStage<WatchAddress.Result> watch(WatchAddress call) {
        KeyEntry.checkLabel(call.label());
        if (call.birthHeight().isPresent()
                && ledger.isBeyondTheChain(call.birthHeight().getAsLong())) {
            throw RefusedException.invalidParams("`birth_height` is far above the tip of the chain");
        }
        return watchOnly
                .watch(new WatchStore.WatchOnly(
                        call.address(), KeyEntry.withoutEmpty(call.label()), call.birthHeight()))
                .handleAsync(KeyringMethods::unlessRefused, executor)
                .thenComposeAsync(
                        watched -> call.birthHeight().isPresent()
                                ? ledger.readHistories()
                                : CompletableFuture.completedStage(OptionalLong.empty()),
                        executor)
                .thenApplyAsync(left -> new WatchAddress.Result(call.address(), Keys.WATCH_ONLY, left), executor);
    }

    private CompletionStage<UnwatchAddress.Result> unwatch(UnwatchAddress call) {
        return watchOnly
                .unwatch(call.address())
                .handleAsync(KeyringMethods::unlessRefused, executor)
                .thenApplyAsync(was -> new UnwatchAddress.Result(call.address(), was), executor);
    }

    private static <T> T unlessRefused(T answer, Throwable failure) {
        if (failure == null) {
            return answer;
        }
        Throwable cause = Causes.of(failure);
        if (cause instanceof WatchOnly.OwnedException || cause instanceof WatchOnly.FullException) {
            throw RefusedException.invalidParams(cause.getMessage());
        }
        throw Causes.passedOn(cause);
    }

    private CompletionStage<SetLabel.Result> setLabel(SetLabel call) {
        return keyring.setLabel(call.address(), KeyEntry.withoutEmpty(Optional.of(call.label())))
                .thenApplyAsync(label -> new SetLabel.Result(call.address(), label), executor);
    }

    private static ListAddresses.AddressEntry listed(KeyEntry entry) {
        return new ListAddresses.AddressEntry(entry.address(), entry.index(), entry.label(), entry.imported());
    }

    private CompletionStage<RevealAddressMnemonic.Result> revealPhrase(
            RevealAddressMnemonic call, CallContext context) {
        return keyring.revealPhrase(call.address(), call.passphrase(), context::isGone)
                .thenApplyAsync(phrase -> new RevealAddressMnemonic.Result(call.address(), Words.of(phrase)), executor);
    }

    private CompletionStage<RevealPrivateKey.Result> revealSecret(RevealPrivateKey call, CallContext context) {
        return keyring.revealSecret(call.address(), call.passphrase(), context::isGone)
                .thenApplyAsync(secret -> new RevealPrivateKey.Result(call.address(), secret), executor);
    }

    private CompletionStage<ExportAddress.Result> exportAddress(ExportAddress call, CallContext context) {
        return keyring.exportAddress(call.address(), call.passphrase(), context::isGone)
                .thenApplyAsync(vault -> new ExportAddress.Result(call.address(), vault), executor);
    }

    private static ExportVault.Result exported(VaultExport.Export export) {
        List<ExportVault.Missing> missing = export.missing().stream()
                .map(part -> new ExportVault.Missing(part.part(), part.address()))
                .toList();
        return new ExportVault.Result(export.vault(), missing.isEmpty() ? Optional.empty() : Optional.of(missing));
    }

    private CompletionStage<DeleteAddress.Result> delete(DeleteAddress call, CallContext context) {
        Optional<DeletionGuard> asked = call.force().orElse(false) ? Optional.empty() : Optional.of(guard);
        return unlessGone(context, gone -> keyring.delete(call.address(), call.passphrase(), asked, gone), executor)
                .thenApplyAsync(DeleteAddress.Result::new, executor);
    }

    /** Splitter of phrases into words without creating strings. */
    public static final class Words {
        private Words() {}

        /** Splits {@code phrase}, whose words are separated by single spaces, and closes it. */
        public static List<SecretBytes> of(SecretBytes phrase) {
            try (phrase) {
                return phrase.use(Words::split);
            }
        }

        private static List<SecretBytes> split(byte[] text) {
            List<SecretBytes> words = new ArrayList<>();
            int from = 0;
            for (int at = 0; at <= text.length; at++) {
                if (at == text.length || text[at] == ' ') {
                    words.add(SecretBytes.takeOver(Arrays.copyOfRange(text, from, at)));
                    from = at + 1;
                }
            }
            return words;
        }
    }
}
