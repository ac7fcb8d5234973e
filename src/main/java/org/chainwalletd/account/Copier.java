package org.chainwalletd.account;

import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.account.endpoints.AccountChain.Told;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Version;
import org.chainwalletd.store.AccountSendStore.Journalled;
import org.chainwalletd.store.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes copies of a claim or a refund at other nonces than its own, and has them in the journal before anybody gets to see them. */
final class Copier {
    private static final Logger LOG = LoggerFactory.getLogger(Copier.class);

    private final SendSetup setup;

    Copier(SendSetup setup) {
        this.setup = setup;
    }

    /**
     * The next nonce of an address by each endpoint's own word; never fails. An endpoint that shows a receipt of these is left out: its number
     * counts what we have sent.
     *
     * @param rows one and its copies
     */
    CompletionStage<List<Told<Long>>> named(List<AccountSend> rows) {
        EvmAddress from = SendSetup.address(rows.get(0).call().from());
        return setup.chain()
                .each(reads -> reads.transactionCount(from, BlockRef.Tag.LATEST)
                        .thenComposeAsync(
                                count -> isShown(reads, hashesBelow(count, rows).iterator())
                                        .thenApplyAsync(
                                                shown -> shown ? OptionalLong.empty() : OptionalLong.of(count),
                                                setup.executor()),
                                setup.executor()))
                .thenApplyAsync(
                        all -> all.stream()
                                .filter(told -> told.answer().isPresent())
                                .map(told -> new Told<>(
                                        told.endpoint(), told.answer().getAsLong()))
                                .toList(),
                        setup.executor());
    }

    private static List<Hash256> hashesBelow(long count, List<AccountSend> rows) {
        return rows.stream()
                .filter(row -> row.nonce() < count)
                .flatMap(row -> row.versions().stream())
                .map(Version::hash)
                .toList();
    }

    private CompletionStage<Boolean> isShown(AccountReads reads, Iterator<Hash256> hashes) {
        return hashes.hasNext()
                ? reads.receipt(hashes.next())
                        .thenComposeAsync(
                                receipt -> receipt.isPresent()
                                        ? CompletableFuture.completedFuture(true)
                                        : isShown(reads, hashes),
                                setup.executor())
                : CompletableFuture.completedFuture(false);
    }

    /**
     * Copies a send, one row for each nonce, also where the journal has it already; those that are over or could not be written are left out. The age of what
     * is repeated is theirs too, and so is its fee by time.
     *
     * @param versions whose prices the copies have
     */
    CompletionStage<List<AccountSend>> copy(AccountSend row, List<Version> versions, Collection<Long> nonces) {
        List<CompletableFuture<Optional<AccountSend>>> copies = nonces.stream()
                .map(nonce -> sign(row, versions, nonce)
                        .thenComposeAsync(this::journal, setup.executor())
                        .exceptionallyAsync(
                                failure -> {
                                    LOG.warn(
                                            "{} is not copied to nonce {}: {}",
                                            row.reference(),
                                            nonce,
                                            AccountException.words(failure));
                                    return Optional.empty();
                                },
                                setup.executor())
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(copies.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> copies.stream()
                                .flatMap(written -> written.join().stream())
                                .toList(),
                        setup.executor());
    }

    private CompletionStage<AccountSend> sign(AccountSend row, List<Version> versions, long nonce) {
        AccountSend.Call call = row.call().at(nonce);
        long now = setup.clock().millis();
        List<CompletableFuture<Version>> signed = versions.stream()
                .sorted(Comparator.comparing(Version::maxFee))
                .map(version -> setup.version(call, new GasPrice(version.tip(), version.maxFee()), now)
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(signed.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> new AccountSend(
                                AccountSend.NEW,
                                row.order().copy(row.reference() + "@" + nonce),
                                call,
                                signed.stream().map(CompletableFuture::join).toList(),
                                new AccountSend.Progress(
                                        AccountSend.State.JOURNALLED,
                                        Optional.empty(),
                                        row.progress().createdAt(),
                                        now)),
                        setup.executor());
    }

    private CompletionStage<Optional<AccountSend>> journal(AccountSend copy) {
        CrashPoint.ACCOUNT_BEFORE_ROW.reached(() -> copy.order().kind());
        return setup.store()
                .open(List.of(copy))
                .thenApplyAsync(
                        written -> {
                            CrashPoint.ACCOUNT_AFTER_ROW.reached(
                                    () -> copy.order().kind());
                            AccountSend row = written instanceof Journalled.Done done
                                    ? done.sends().get(0)
                                    : ((Journalled.Taken) written).by();
                            return Optional.of(row)
                                    .filter(found ->
                                            found.isCopy() && !found.state().isOver());
                        },
                        setup.executor());
    }
}
