package org.chainwalletd.account;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Version;
import org.chainwalletd.store.AccountSendStore;

/**
 * The journal of the account chain, with call data and signed bytes sealed in it: those of a claim hold the secret of its swap, and the
 * store's file may be read by others. What is sealed is bound to its row: call data by the reference beside it, signed bytes by their hash.
 */
public final class SealedSends implements AccountSendStore {
    /** Rows of an earlier release that are sealed in a row. */
    private static final int AT_A_TIME = 64;

    private static final byte FORM = 1;

    private final AccountSendStore store;
    private final SealedRecords seals;
    private final Executor executor;

    private SealedSends(AccountSendStore store, SealedRecords seals, Executor executor) {
        this.store = store;
        this.seals = seals;
        this.executor = executor;
    }

    /**
     * Seals what an earlier release has left in clear, then is ready.
     *
     * @param seals by something that was sealed before
     */
    public static CompletionStage<SealedSends> open(
            AccountSendStore store,
            Function<Optional<Bytes>, CompletionStage<SealedRecords>> seals,
            Executor executor) {
        return store.newestSealed()
                .thenComposeAsync(seals::apply, executor)
                .thenComposeAsync(
                        opened -> {
                            SealedSends journal = new SealedSends(store, opened, executor);
                            return journal.sealEarlierRows().thenApplyAsync(done -> journal, executor);
                        },
                        executor);
    }

    private CompletionStage<Void> sealEarlierRows() {
        return store.unsealed(AT_A_TIME)
                .thenComposeAsync(
                        rows -> rows.isEmpty()
                                ? CompletableFuture.<Void>completedFuture(null)
                                : sealAll(rows).thenComposeAsync(done -> sealEarlierRows(), executor),
                        executor);
    }

    private CompletionStage<Void> sealAll(List<AccountSend> rows) {
        return CompletableFuture.allOf(rows.stream()
                .map(row -> store.seal(sealed(row)).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private AccountSend sealed(AccountSend row) {
        return row.holding(
                sealed(named(row)), row.versions().stream().map(this::sealed).toList());
    }

    private Version sealed(Version version) {
        return version.holding(sealed(version.raw().toArray()));
    }

    private Bytes sealed(byte[] content) {
        try (SecretBytes plain = SecretBytes.takeOver(content)) {
            return seals.seal(plain);
        }
    }

    /** A byte of form, the reference's length as u16 big-endian, the reference, the call data. */
    private static byte[] named(AccountSend row) {
        byte[] reference = row.reference().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(3 + reference.length + row.call().data().length())
                .put(FORM)
                .putShort((short) reference.length)
                .put(reference)
                .put(row.call().data().toArray())
                .array();
    }

    private CompletionStage<AccountSend> opened(AccountSend row) {
        List<CompletableFuture<Version>> versions = row.versions().stream()
                .map(version -> opened(version).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(versions.toArray(CompletableFuture[]::new))
                .thenCombineAsync(
                        data(row),
                        (done, data) -> row.holding(
                                data,
                                versions.stream().map(CompletableFuture::join).toList()),
                        executor);
    }

    private CompletionStage<Bytes> data(AccountSend row) {
        return content(row.call().data()).thenApplyAsync(content -> unnamed(row.reference(), content), executor);
    }

    private static Bytes unnamed(String reference, byte[] content) {
        byte[] name = reference.getBytes(StandardCharsets.US_ASCII);
        int begin = 3 + name.length;
        boolean isOurs = content.length >= begin
                && content[0] == FORM
                && ByteBuffer.wrap(content).getShort(1) == name.length
                && Arrays.equals(content, 3, begin, name, 0, name.length);
        if (!isOurs) {
            throw new IllegalStateException(
                    "the journal of the account chain holds call data of another transaction under " + reference);
        }
        return Bytes.wrap(Arrays.copyOfRange(content, begin, content.length));
    }

    private CompletionStage<Version> opened(Version version) {
        return content(version.raw())
                .thenApplyAsync(
                        raw -> {
                            if (!Hash256.of(Keccak256.of(raw)).equals(version.hash())) {
                                throw new IllegalStateException(
                                        "the journal of the account chain holds other bytes under " + version.hash());
                            }
                            return version.holding(Bytes.wrap(raw));
                        },
                        executor);
    }

    private CompletionStage<byte[]> content(Bytes sealed) {
        return seals.open(sealed)
                .thenApplyAsync(
                        content -> {
                            try (content) {
                                return content.copy();
                            }
                        },
                        executor);
    }

    private CompletionStage<List<AccountSend>> opened(List<AccountSend> rows) {
        List<CompletableFuture<AccountSend>> opening =
                rows.stream().map(row -> opened(row).toCompletableFuture()).toList();
        return CompletableFuture.allOf(opening.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> opening.stream().map(CompletableFuture::join).toList(), executor);
    }

    private CompletionStage<Optional<AccountSend>> opened(Optional<AccountSend> row) {
        return row.isEmpty()
                ? CompletableFuture.completedFuture(row)
                : opened(row.get()).thenApplyAsync(Optional::of, executor);
    }

    @Override
    public CompletionStage<Journalled> open(List<AccountSend> sends) {
        return store.open(sends.stream().map(this::sealed).toList())
                .thenComposeAsync(
                        written -> written instanceof Journalled.Taken taken
                                ? opened(taken.by()).thenApplyAsync(Journalled.Taken::new, executor)
                                : CompletableFuture.completedFuture(numbered(sends, (Journalled.Done) written)),
                        executor);
    }

    private static Journalled numbered(List<AccountSend> sends, Journalled.Done written) {
        List<AccountSend> numbered = new ArrayList<>();
        for (int i = 0; i < sends.size(); i++) {
            numbered.add(sends.get(i).numbered(written.sends().get(i).id()));
        }
        return new Journalled.Done(List.copyOf(numbered));
    }

    @Override
    public CompletionStage<Boolean> addVersion(long id, int versionsBefore, Version version) {
        return store.addVersion(id, versionsBefore, sealed(version));
    }

    @Override
    public CompletionStage<Boolean> enter(
            long id,
            AccountSend.State before,
            AccountSend.State state,
            Optional<AccountSend.Outcome> outcome,
            long now) {
        return store.enter(id, before, state, outcome, now);
    }

    @Override
    public CompletionStage<Optional<AccountSend>> find(String reference) {
        return store.find(reference).thenComposeAsync(this::opened, executor);
    }

    @Override
    public CompletionStage<Boolean> isPayout(String reference) {
        return store.isPayout(reference);
    }

    @Override
    public CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner) {
        return store.ofOwner(chainId, owner).thenComposeAsync(this::opened, executor);
    }

    @Override
    public CompletionStage<List<AccountSend>> open(BigInteger chainId) {
        return store.open(chainId).thenComposeAsync(this::opened, executor);
    }

    @Override
    public CompletionStage<OptionalLong> nextNonce(BigInteger chainId, Bytes from) {
        return store.nextNonce(chainId, from);
    }

    @Override
    public CompletionStage<OptionalLong> lastLost(BigInteger chainId, Bytes from) {
        return store.lastLost(chainId, from);
    }

    @Override
    public CompletionStage<List<AccountSend>> page(BigInteger chainId, long before, int most) {
        return store.page(chainId, before, most).thenComposeAsync(this::opened, executor);
    }

    @Override
    public CompletionStage<List<AccountSend>> unsealed(int most) {
        return store.unsealed(most);
    }

    @Override
    public CompletionStage<Void> seal(AccountSend sealed) {
        return store.seal(sealed);
    }

    @Override
    public CompletionStage<Optional<Bytes>> newestSealed() {
        return store.newestSealed();
    }
}
