package org.chainwalletd.htlc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Htlcs.Htlc;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.htlc.LocalRecords.ListCursor;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.indexer.IndexerClient.HtlcGroup;
import org.chainwalletd.indexer.IndexerClient.HtlcPage;
import org.chainwalletd.indexer.IndexerClient.IndexedHtlc;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.store.books.htlc.HtlcRows.Position;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Local index complemented by an indexer. An output with a record in the book, even a forgotten one, is reported from the book only; records of the
 * indexer are unverified and marked by their role, {@link Htlcs.Role#OBSERVER}. When the indexer fails or does not answer within
 * {@link #TIMEOUT_SECONDS}, records of the book are returned without it; if the book has none, the call fails, because absence cannot be
 * concluded.
 *
 * @param keys returns the public key of one of our addresses, by which indexers search
 * @param executor for continuations; never blocks
 */
public record MergedRecords(
        ChainProfile profile,
        LocalRecords own,
        IndexerClient indexer,
        Function<Address, CompletionStage<Optional<PublicKey>>> keys,
        Executor executor)
        implements HtlcRecords {
    private static final Logger LOG = LoggerFactory.getLogger(MergedRecords.class);
    private static final int TIMEOUT_SECONDS = 10;
    /** Maximum number of indexer rows requested per page; more rows than fit on the page show that another page follows. */
    private static final int MOST = 1_000;

    private static final Comparator<HtlcRecord> ORDER = Comparator.comparing(MergedRecords::position);

    @Override
    public CompletionStage<Optional<HtlcRecord>> status(Outpoint lock) {
        return own.status(lock)
                .thenComposeAsync(
                        found -> found.isPresent() ? CompletableFuture.completedFuture(found) : seen(lock), executor);
    }

    private CompletionStage<Optional<HtlcRecord>> seen(Outpoint lock) {
        return own.known(Set.of(lock))
                .thenComposeAsync(
                        known -> known.isEmpty()
                                ? withTimeout(indexer.htlc(lock))
                                        .thenApplyAsync(
                                                found -> found.filter(MergedRecords::isConsistent)
                                                        .map(MergedRecords::observed),
                                                executor)
                                : CompletableFuture.completedFuture(Optional.empty()),
                        executor);
    }

    @Override
    public CompletionStage<List<HtlcRecord>> ofHashLock(Hash256 hashLock) {
        return own.ofHashLock(hashLock)
                .thenComposeAsync(
                        found -> unless(
                                !found.isEmpty(),
                                found,
                                () -> withTimeout(indexer.htlcsByHashLock(hashLock))
                                        .thenComposeAsync(seen -> merged(found, seen), executor)),
                        executor);
    }

    /** Adds the indexer's unverified records only to a listing of one address that includes the observer role. */
    @Override
    public CompletionStage<Listing> list(Query query) {
        if (query.address().isEmpty() || !query.roles().contains(Htlcs.Role.OBSERVER)) {
            return own.list(query);
        }
        return own.list(query)
                .thenComposeAsync(
                        page -> unless(!page.records().isEmpty(), page, () -> complemented(query, page)), executor);
    }

    private CompletionStage<Listing> complemented(Query query, Listing page) {
        Position after = LocalRecords.start(query);
        Address party = query.address().orElseThrow();
        return keys.apply(party)
                .thenComposeAsync(
                        key -> withTimeout(indexer.htlcs(
                                Hash256.of(key.map(PublicKey::toArray).orElseGet(party::toArray)),
                                query.states(),
                                since(query, after),
                                MOST)),
                        executor)
                .thenComposeAsync(
                        seen -> {
                            List<IndexedHtlc> wanted = seen.htlcs().stream()
                                    .filter(htlc -> isWanted(htlc, query, after))
                                    .toList();
                            return merged(page.records(), wanted)
                                    .thenApplyAsync(all -> listing(query, page, seen, all), executor);
                        },
                        executor);
    }

    private static OptionalLong since(Query query, Position after) {
        if (after.lockHeight() >= 0 && query.cursor().isPresent()) {
            return OptionalLong.of(after.lockHeight());
        }
        long next = after.lockHeight() + 1;
        return next <= 0 ? OptionalLong.empty() : OptionalLong.of(next);
    }

    /** Applies the query again, because an indexer may ignore it. */
    private boolean isWanted(IndexedHtlc htlc, Query query, Position after) {
        Address party = query.address().orElseThrow();
        boolean isParty = profile.addressOf(htlc.params().sender()).equals(party)
                || profile.addressOf(htlc.params().receiver()).equals(party);
        HtlcRecord record = observed(htlc);
        return isParty
                && query.states().contains(record.state())
                && (query.sinceHeight().isEmpty() || record.lockHeight().isPresent())
                && position(record).compareTo(after) > 0;
    }

    /**
     * Returns the complete part of the merged records. Records may be missing beyond the last own record of a page that has a next page, and beyond
     * the last row of such a page of the indexer.
     */
    private static Listing listing(Query query, Listing page, HtlcPage seen, List<HtlcRecord> all) {
        Optional<Position> ownEnd = page.nextCursor().map(ListCursor::parse);
        Optional<Position> seenEnd = seen.nextCursor().isEmpty() || seen.htlcs().isEmpty()
                ? Optional.empty()
                : Optional.of(position(observed(seen.htlcs().get(seen.htlcs().size() - 1))));
        Optional<Position> end =
                Stream.of(ownEnd, seenEnd).flatMap(Optional::stream).min(Comparator.naturalOrder());
        List<HtlcRecord> complete = all.stream()
                .filter(one ->
                        end.map(last -> position(one).compareTo(last) <= 0).orElse(true))
                .limit(query.limit())
                .toList();
        boolean isLast = complete.size() == all.size() && end.isEmpty();
        if (isLast) {
            return new Listing(complete, Optional.empty());
        }
        if (complete.isEmpty()) {
            // All rows have one height, or none matches the query: only the book's page gives a position to continue
            // from.
            return page;
        }
        return new Listing(complete, Optional.of(ListCursor.of(position(complete.get(complete.size() - 1)))));
    }

    /**
     * Returns all own records, and those of the indexer for outputs unknown to the book: the book's role and state, which come from checked blocks,
     * always take precedence.
     */
    private CompletionStage<List<HtlcRecord>> merged(List<HtlcRecord> found, List<IndexedHtlc> seen) {
        List<IndexedHtlc> sound =
                seen.stream().filter(MergedRecords::isConsistent).toList();
        return own.known(sound.stream().map(IndexedHtlc::outpoint).toList())
                .thenApplyAsync(
                        known -> {
                            Set<Outpoint> ours = new HashSet<>(known.keySet());
                            found.forEach(record -> ours.add(record.lock()));
                            List<HtlcRecord> all = new ArrayList<>(found);
                            // An indexer may return duplicates.
                            sound.stream()
                                    .filter(htlc -> ours.add(htlc.outpoint()))
                                    .map(MergedRecords::observed)
                                    .forEach(all::add);
                            all.sort(ORDER);
                            return List.copyOf(all);
                        },
                        executor);
    }

    /**
     * Returns the records of a group of an indexer, in its order, without repetition.
     *
     * @param known what the book has of these outputs
     */
    public static List<HtlcRecord> ofGroup(HtlcGroup group, Map<Outpoint, Optional<HtlcRecord>> known) {
        Set<Outpoint> before = new HashSet<>();
        return group.htlcs().stream()
                .filter(MergedRecords::isConsistent)
                .filter(htlc -> before.add(htlc.outpoint()))
                .flatMap(htlc -> known.getOrDefault(htlc.outpoint(), Optional.of(observed(htlc))).stream())
                .filter(record -> record.params().hashLock().equals(group.hashLock()))
                .toList();
    }

    private <T> CompletionStage<T> unless(boolean isAnswer, T answer, Supplier<CompletionStage<T>> more) {
        return more.get()
                .exceptionallyComposeAsync(
                        failure -> {
                            if (!isAnswer) {
                                return CompletableFuture.failedFuture(failure);
                            }
                            LOG.debug("the index answers without the indexer: {}", failure.toString());
                            return CompletableFuture.completedFuture(answer);
                        },
                        executor);
    }

    private <T> CompletionStage<T> withTimeout(CompletionStage<T> question) {
        return question.toCompletableFuture()
                .copy()
                .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .exceptionallyComposeAsync(
                        failure -> CompletableFuture.failedFuture(
                                failure instanceof TimeoutException
                                        ? new NodeException.Unreachable("no indexer answered in time")
                                        : failure),
                        executor);
    }

    /** Tests whether the preimage of a claim matches the hash lock; otherwise the claim is invalid. */
    private static boolean isConsistent(IndexedHtlc htlc) {
        return htlc.claim()
                .map(claim -> HtlcWitness.hashLockOf(claim.preimage().toArray())
                        .equals(htlc.params().hashLock()))
                .orElse(true);
    }

    private static HtlcRecord observed(IndexedHtlc htlc) {
        IndexedHtlc.Params params = htlc.params();
        return new HtlcRecord(
                htlc.outpoint(),
                new HtlcParams(params.sender(), params.receiver(), params.hashLock(), params.timeoutHeight()),
                htlc.amount(),
                htlc.lockBlockHeight(),
                htlc.state(),
                htlc.claim()
                        .map(claim -> new Htlc.Claim(
                                claim.txId(),
                                claim.preimage(),
                                OptionalLong.of(claim.blockHeight()),
                                claim.inputIndex())),
                htlc.reclaim()
                        .map(reclaim -> new Htlc.Reclaim(
                                reclaim.txId(), OptionalLong.of(reclaim.blockHeight()), reclaim.inputIndex())),
                Htlcs.Role.OBSERVER,
                htlc.lastIndexedHeight());
    }

    /** Returns the position of a record; heights beyond the range of blocks count as none. */
    private static Position position(HtlcRecord record) {
        long height = record.lockHeight().orElse(HtlcTable.NOWHERE);
        return new Position(height < 0 ? HtlcTable.NOWHERE : height, record.lock());
    }
}
