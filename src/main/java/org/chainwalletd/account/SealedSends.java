package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.stage.Blocking;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Version;
import org.chainwalletd.store.AccountSendStore;

/**
 * Journal of the account chain that seals call data and signed bytes, because a claim's contain the secret of its swap and others may be able to
 * read the store's file. Sealed content is bound to its row: call data by the reference sealed with it, signed bytes by their hash.
 */
public final class SealedSends implements AccountSendStore {
    /** Number of rows of an earlier release that are sealed concurrently. */
    private static final int AT_A_TIME = 64;

    private static final byte FORMAT = 1;

    private final AccountSendStore store;
    private final SealedRecords seals;
    private final Executor threads;
    private final WritingTerms.Term term;

    private SealedSends(AccountSendStore store, SealedRecords seals, Executor threads, WritingTerms.Term term) {
        this.store = store;
        this.seals = seals;
        this.threads = threads;
        this.term = term;
    }

    /**
     * Opens the journal, after sealing rows that an earlier release has left unencrypted.
     *
     * @param seals returns the seals for existing content; the argument is content sealed earlier, if there is any
     * @param threads for unsealing, which blocks until the key is available
     */
    public static CompletionStage<SealedSends> open(
            AccountSendStore store, Function<Optional<Bytes>, CompletionStage<SealedRecords>> seals, Executor threads) {
        return store.newestSealed()
                .thenComposeAsync(seals::apply, threads)
                .thenApplyAsync(
                        opened -> {
                            SealedSends journal =
                                    new SealedSends(store, opened, threads, new WritingTerms(threads).begin());
                            journal.sealEarlierRows();
                            return journal;
                        },
                        threads);
    }

    /** Returns this journal, written only during {@code term}. */
    SealedSends during(WritingTerms.Term term) {
        return new SealedSends(store, seals, threads, term);
    }

    private void sealEarlierRows() {
        List<AccountSend> rows = await(store.unsealed(AT_A_TIME));
        while (!rows.isEmpty()) {
            List<CompletionStage<Void>> sealing =
                    rows.stream().map(row -> store.seal(sealed(row))).toList();
            sealing.forEach(Blocking::await);
            rows = await(store.unsealed(AT_A_TIME));
        }
    }

    private AccountSend sealed(AccountSend row) {
        return row.holding(
                sealed(withReference(row)),
                row.versions().stream().map(this::sealed).toList());
    }

    private Version sealed(Version version) {
        return version.holding(sealed(version.raw().toArray()));
    }

    private Bytes sealed(byte[] content) {
        try (SecretBytes plain = SecretBytes.takeOver(content)) {
            return seals.seal(plain);
        }
    }

    /** Encodes the call data with its reference: a format byte, the reference's length as u16 big-endian, the reference, the call data. */
    private static byte[] withReference(AccountSend row) {
        byte[] reference = row.reference().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(3 + reference.length + row.call().data().length())
                .put(FORMAT)
                .putShort((short) reference.length)
                .put(reference)
                .put(row.call().data().toArray())
                .array();
    }

    private AccountSend opened(AccountSend row) {
        return row.holding(
                withoutReference(row.reference(), content(row.call().data())),
                row.versions().stream().map(this::opened).toList());
    }

    private static Bytes withoutReference(String reference, byte[] content) {
        byte[] name = reference.getBytes(StandardCharsets.US_ASCII);
        int begin = 3 + name.length;
        boolean isOurs = content.length >= begin
                && content[0] == FORMAT
                && ByteBuffer.wrap(content).getShort(1) == name.length
                && Arrays.equals(content, 3, begin, name, 0, name.length);
        if (!isOurs) {
            throw new IllegalStateException(
                    "the journal of the account chain has call data of another transaction for " + reference);
        }
        return Bytes.wrap(Arrays.copyOfRange(content, begin, content.length));
    }

    private Version opened(Version version) {
        byte[] raw = content(version.raw());
        if (!Hash256.of(Keccak256.of(raw)).equals(version.hash())) {
            throw new IllegalStateException(
                    "the journal of the account chain has other bytes for transaction " + version.hash());
        }
        return version.holding(Bytes.wrap(raw));
    }

    private byte[] content(Bytes sealed) {
        try (SecretBytes content = await(seals.open(sealed))) {
            return content.copy();
        }
    }

    private CompletionStage<List<AccountSend>> opened(CompletionStage<List<AccountSend>> rows) {
        return rows.thenApplyAsync(found -> found.stream().map(this::opened).toList(), threads);
    }

    @Override
    public CompletionStage<Journalled> open(List<AccountSend> sends) {
        List<AccountSend> sealed = sends.stream().map(this::sealed).toList();
        return term.write(() -> store.open(sealed))
                .thenApplyAsync(
                        written -> {
                            if (written instanceof Journalled.Taken taken) {
                                return new Journalled.Taken(opened(taken.by()));
                            }
                            return written instanceof Journalled.Done done ? numbered(sends, done) : written;
                        },
                        threads);
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
        Version sealed = sealed(version);
        return term.write(() -> store.addVersion(id, versionsBefore, sealed));
    }

    @Override
    public CompletionStage<Boolean> enter(
            long id,
            AccountSend.State before,
            AccountSend.State state,
            Optional<AccountSend.Outcome> outcome,
            long now) {
        return term.write(() -> store.enter(id, before, state, outcome, now));
    }

    @Override
    public CompletionStage<Optional<AccountSend>> find(String reference) {
        return store.find(reference).thenApplyAsync(found -> found.map(this::opened), threads);
    }

    @Override
    public CompletionStage<Boolean> isBoundElsewhere(String reference) {
        return store.isBoundElsewhere(reference);
    }

    @Override
    public CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner) {
        return opened(store.ofOwner(chainId, owner));
    }

    @Override
    public CompletionStage<List<AccountSend>> open(BigInteger chainId) {
        return opened(store.open(chainId));
    }

    @Override
    public CompletionStage<Void> makeCertain() {
        return store.makeCertain();
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
        return opened(store.page(chainId, before, most));
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
