package org.chainwalletd.coins;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainTransaction;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.OwnCoin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One step towards covering addresses: their coins are listed at a node whose tip stands before and after, each is proven by bytes, and all are
 * entered if that tip is still the last block of the books. Listings leave immature coinbases out; those of blocks from before an address was
 * watched come from reading these blocks again. Remembers nothing between two steps; safe for threads.
 */
final class CoverStep {
    private static final Logger LOG = LoggerFactory.getLogger(CoverStep.class);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** No listing that goes on after as many pages of 1,000 coins fits between two blocks. */
    private static final int MOST_PAGES = 200;

    /**
     * Where the listing happens.
     *
     * @param young what second readings have found, by address
     */
    record Place(FollowedTip tip, int maturity, Map<Address, Follower.Picked<OwnCoin>> young) {}

    /** What came of it. */
    sealed interface Result {}

    record Nothing() implements Result {}

    /**
     * @param addresses that are covered now
     * @param manyPages that have more coins than one listing shows
     */
    record Covered(List<Address> addresses, List<Address> manyPages) implements Result {}

    /** Blocks from before these were watched were read for them. */
    record ReadAgain(List<Address> addresses, Follower.Picked<OwnCoin> coins) implements Result {}

    /**
     * The chain has changed meanwhile.
     *
     * @param addresses of which what was read again may not be true any more
     * @param paged whose listing of many pages was in vain
     */
    record TipMoved(List<Address> addresses, Optional<Address> paged) implements Result {}

    private final LedgerBooks books;
    private final Follower follower;
    private final NodeClient node;
    private final VerifiedOutputs outputs;
    private final Executor executor;

    CoverStep(LedgerBooks books, Follower follower, NodeClient node, VerifiedOutputs outputs, Executor executor) {
        this.books = books;
        this.follower = follower;
        this.node = node;
        this.outputs = outputs;
        this.executor = executor;
    }

    /** Reads the blocks from {@code from} on that these addresses were not watched in. */
    CompletionStage<Result> readYoung(long from, List<LedgerBooks.Watched> watched) {
        List<Address> addresses =
                watched.stream().map(LedgerBooks.Watched::address).toList();
        Set<Address> wanted = Set.copyOf(addresses);
        long to = watched.stream()
                .mapToLong(LedgerBooks.Watched::fromHeight)
                .max()
                .orElseThrow();
        return follower.readAgain(from, to, block -> coinbases(block, wanted))
                .thenApplyAsync(
                        read -> read.<Result>map(coins -> new ReadAgain(addresses, coins))
                                .orElseGet(Nothing::new),
                        executor);
    }

    private static List<OwnCoin> coinbases(ChainBlock block, Set<Address> wanted) {
        List<OwnCoin> coins = new ArrayList<>();
        for (ChainTransaction mined : block.transactions()) {
            if (mined.coinbase() && mined.decoded().isPresent()) {
                List<TxOutput> made = mined.decoded().get().outputs();
                for (int i = 0; i < made.size(); i++) {
                    Outpoint outpoint = new Outpoint(mined.id(), i);
                    TxOutput output = made.get(i);
                    output.address()
                            .filter(wanted::contains)
                            .ifPresent(
                                    to -> coins.add(new OwnCoin(outpoint, to, output.value(), block.height(), true)));
                }
            }
        }
        return coins;
    }

    /** Lists some addresses together. */
    CompletionStage<Result> list(Place place, List<Address> addresses) {
        if (addresses.isEmpty()) {
            return CompletableFuture.completedFuture(new Nothing());
        }
        TipMoved moved = new TipMoved(addresses, Optional.empty());
        return whileTipStands(
                place,
                moved,
                one -> one.addressUtxos(addresses)
                        .thenApplyAsync(listings -> Listed.of(addresses, listings), executor));
    }

    /** Lists one address page by page. */
    CompletionStage<Result> page(Place place, Address address) {
        TipMoved moved = new TipMoved(List.of(address), Optional.of(address));
        return whileTipStands(
                        place,
                        moved,
                        one -> pages(one, address, Optional.empty(), new ArrayList<>())
                                .thenApplyAsync(coins -> new Listed(List.of(address), List.of(), coins), executor))
                .exceptionallyAsync(refused -> moved, executor);
    }

    private CompletionStage<List<OwnCoin>> pages(
            NodeClient one, Address address, Optional<String> cursor, List<List<NodeClient.Utxo>> read) {
        return one.utxoPage(address, cursor)
                .thenComposeAsync(
                        page -> {
                            read.add(page.utxos());
                            boolean endless = page.next().isPresent()
                                    && (read.size() >= MOST_PAGES
                                            || page.utxos().isEmpty());
                            if (endless) {
                                return CompletableFuture.failedFuture(
                                        new IllegalStateException("a listing without an end"));
                            }
                            return page.next().isPresent()
                                    ? pages(one, address, page.next(), read)
                                    : CompletableFuture.completedFuture(read.stream()
                                            .flatMap(List::stream)
                                            .map(utxo -> coin(address, utxo))
                                            .toList());
                        },
                        executor);
    }

    private static OwnCoin coin(Address address, NodeClient.Utxo utxo) {
        return new OwnCoin(utxo.outpoint(), address, utxo.value(), utxo.height(), utxo.coinbase());
    }

    /** What a node has listed. */
    private record Listed(List<Address> whole, List<Address> cut, List<OwnCoin> coins) {
        static Listed of(List<Address> addresses, List<NodeClient.UtxoListing> listings) {
            List<Address> whole = new ArrayList<>();
            List<Address> cut = new ArrayList<>();
            List<OwnCoin> coins = new ArrayList<>();
            for (int i = 0; i < addresses.size(); i++) {
                Address address = addresses.get(i);
                if (listings.get(i).truncated()) {
                    cut.add(address);
                } else {
                    whole.add(address);
                    listings.get(i).utxos().forEach(utxo -> coins.add(coin(address, utxo)));
                }
            }
            return new Listed(whole, cut, coins);
        }
    }

    /** A listing as one node gives it. */
    private interface Listing {
        CompletionStage<Listed> at(NodeClient one);
    }

    private CompletionStage<Result> whileTipStands(Place place, TipMoved moved, Listing listing) {
        NodeClient one = node.patient(PATIENCE).pinned();
        return one.tip()
                .thenComposeAsync(
                        before -> before.blockId().equals(place.tip().place().blockId())
                                ? listing.at(one)
                                        .thenComposeAsync(
                                                listed -> one.tip()
                                                        .thenComposeAsync(
                                                                after -> after.blockId()
                                                                                .equals(before.blockId())
                                                                        ? prove(place, moved, listed)
                                                                        : CompletableFuture.completedFuture(moved),
                                                                executor),
                                                executor)
                                : CompletableFuture.completedFuture(new TipMoved(List.of(), Optional.empty())),
                        executor);
    }

    private CompletionStage<Result> prove(Place place, TipMoved moved, Listed listed) {
        return outputs.find(listed.coins().stream().map(OwnCoin::outpoint).toList())
                .thenComposeAsync(found -> enter(place, moved, listed, found), executor);
    }

    /** An address with a coin that is not proven is left for another round, which may ask another node. */
    private CompletionStage<Result> enter(Place place, TipMoved moved, Listed listed, Map<Outpoint, Finding> found) {
        Set<Address> unproven = new HashSet<>();
        for (OwnCoin coin : listed.coins()) {
            if (!isProven(coin, Optional.ofNullable(found.get(coin.outpoint())))) {
                LOG.warn("{} is not what its listing says, or cannot be proven: {}", coin.outpoint(), coin.address());
                unproven.add(coin.address());
            }
        }
        List<Address> proven = listed.whole().stream()
                .filter(address -> !unproven.contains(address))
                .toList();
        List<OwnCoin> coins = new ArrayList<>(listed.coins());
        coins.removeIf(coin -> unproven.contains(coin.address()));
        coins.addAll(young(place, proven));
        Set<BlockPlace> below = proven.stream()
                .map(place.young()::get)
                .filter(Objects::nonNull)
                .map(Follower.Picked::top)
                .collect(Collectors.toSet());
        return books.cover(place.tip().place(), below, proven, coins)
                .thenApplyAsync(covered -> covered ? new Covered(proven, listed.cut()) : moved, executor);
    }

    /** Only what is still immature: nobody can have spent it. What has matured since was listed if it is unspent. */
    private static List<OwnCoin> young(Place place, List<Address> addresses) {
        long mature = place.tip().height() + 1 - place.maturity();
        return addresses.stream()
                .flatMap(address -> Optional.ofNullable(place.young().get(address)).stream()
                        .flatMap(read -> read.found().stream())
                        .filter(coin -> coin.address().equals(address)))
                .filter(coin -> coin.height() > mature)
                .collect(Collectors.toList());
    }

    private static boolean isProven(OwnCoin coin, Optional<Finding> found) {
        return found.isPresent()
                && found.get() instanceof Finding.Proven proven
                && proven.output().value().equals(coin.value())
                && proven.output().script().hex().equals(coin.address().hex());
    }
}
