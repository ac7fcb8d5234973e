package org.chainwalletd.coins;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.U64;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.Precedence;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.OwnCoins;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.HistoryCursor;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.OwnCoin;

/** Facade of the ledger of own coins for the rest of the daemon. Thread-safe; stages fail with {@code StoreException}. */
public final class CoinLedger implements OwnCoins {
    /** Depth in blocks below the followed tip at which a key generated now certainly has no coins: no reorganisation is that deep. */
    private static final long FRESH_KEY_DEPTH = 100;

    /** Maximum number of blocks that the books may lag behind the nodes and still be used for the coins of an address. */
    static final long MAX_LAG = 2;

    /** Number of blocks by which a caller may be ahead of the daemon: a few hours' worth. */
    private static final long MAX_AHEAD = 1_000;

    /** Maximum time, in seconds, that a caller that adds a key waits for the length of its rescan. */
    private static final long RESCAN_SECONDS = 5;

    private final LedgerBooks books;
    private final Follower follower;
    private final Executor executor;
    private final WalletFigures figures = new WalletFigures();

    public CoinLedger(LedgerBooks books, Follower follower, Executor executor) {
        this.books = books;
        this.follower = follower;
        this.executor = executor;
    }

    /** Figures of the wallet, as last read by {@link WalletWatch}. */
    public WalletFigures figures() {
        return figures;
    }

    /** Returns why no key can be watched now, as far as is known without an attempt. */
    public Optional<StoreException> away() {
        return books.away();
    }

    /**
     * Watches a key that was just generated here: it cannot have been paid yet, so it is covered from the start. Durable when it completes.
     * Before the first followed block the key is watched like an old one, because the block of its first payment cannot be bounded.
     */
    public CompletionStage<Void> watchFresh(Address address) {
        return books.watch(List.of(address), true, FRESH_KEY_DEPTH);
    }

    /**
     * Watches keys that may have been paid long ago: they are covered once a rescan, which starts automatically, has read every block.
     * Durable when it completes.
     *
     * @return number of blocks that rescans have to read until then; empty before the first block, or when the operator has disabled
     *     rescans
     */
    public CompletionStage<OptionalLong> watchOld(List<Address> addresses) {
        return books.watch(addresses, false, FRESH_KEY_DEPTH).thenComposeAsync(watched -> readHistories(), executor);
    }

    /**
     * Starts a rescan of the missing parts of the histories of addresses that are already watched; a rescan that cannot start now starts
     * later.
     *
     * @return number of blocks that rescans have to read until then; empty before the first block, or when the operator has disabled
     *     rescans
     */
    public CompletionStage<OptionalLong> readHistories() {
        return follower.readHistories()
                .toCompletableFuture()
                .completeOnTimeout(Optional.empty(), RESCAN_SECONDS, TimeUnit.SECONDS)
                .handleAsync(
                        (rescan, failure) -> failure == null && rescan.isPresent()
                                ? OptionalLong.of(rescan.get().allBlocksLeft())
                                : OptionalLong.empty(),
                        executor);
    }

    /** Number of blocks that the ledger lags behind the nodes, as far as is known. */
    public long lag() {
        return follower.status().lag();
    }

    Precedence precedence() {
        return follower.precedence();
    }

    /** Returns the failure of a call that neither the nodes nor the books can answer, see {@link Precedence#NEITHER}. */
    NodeException blocksNotShown() {
        return new NodeException.BadAnswer("the daemon's own books end at block "
                + U64.toString(follower.height().orElse(0))
                + ", and the nodes report more blocks without showing them; try again");
    }

    public Optional<FollowedTip> tip() {
        return follower.tip();
    }

    /** Makes the follower fetch the newest block soon. */
    void hurry() {
        follower.nudge();
    }

    /**
     * Whether a height is implausibly far above the chain, as known from the books and the nodes. A caller may know of blocks that are not
     * known here yet.
     */
    public boolean isBeyondTheChain(long height) {
        FollowStatus status = follower.status();
        long followed = status.tip().map(tip -> tip.place().height()).orElse(-1L);
        long known = Math.max(followed, status.nodesHeight());
        return status.nodesHeight() >= 0 && height > known + MAX_AHEAD;
    }

    CompletionStage<Boolean> coversAny(List<Address> addresses) {
        return books.coversAny(addresses);
    }

    /** Reads the coins of the covered addresses at the followed tip; empty before the first block, and while that tip is being disconnected. */
    CompletionStage<Optional<LedgerSnapshot>> snapshot(List<Address> addresses) {
        return snapshot(at -> books.unspent(at, addresses));
    }

    private CompletionStage<Optional<LedgerSnapshot>> snapshot(
            Function<BlockPlace, CompletionStage<Optional<Map<Address, List<OwnCoin>>>>> reading) {
        return atTip((tip, maturity) -> reading.apply(tip.place())
                .thenApplyAsync(found -> found.map(coins -> new LedgerSnapshot(tip, maturity, coins)), executor));
    }

    /**
     * @param reading receives the followed tip and the coinbase maturity of its network
     */
    private <T> CompletionStage<Optional<T>> atTip(
            BiFunction<FollowedTip, Integer, CompletionStage<Optional<T>>> reading) {
        FollowStatus status = follower.status();
        int maturity = status.network().orElse(Network.MAINNET).coinbaseMaturity();
        return status.tip()
                .map(tip -> reading.apply(tip, maturity))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    /**
     * Reads the balances at the followed tip, in the order of the addresses, by a node's rules: coins that the mempool spends still count,
     * and a coinbase counts as soon as the next block may spend it. Empty for an address that is not covered; empty as a whole before the
     * first block, and while that tip is being disconnected.
     */
    CompletionStage<Optional<List<Optional<Amount>>>> balances(List<Address> addresses) {
        return atTip((tip, maturity) -> books.sums(tip.place(), maturity, addresses));
    }

    /** Reads the listings of coins, by the same rules as {@link #balances}. */
    CompletionStage<Optional<List<Optional<NodeClient.UtxoListing>>>> listings(List<Address> addresses) {
        return snapshot(addresses)
                .thenApplyAsync(
                        found -> found.map(snapshot -> addresses.stream()
                                .map(address -> Optional.of(address)
                                        .filter(snapshot::covers)
                                        .map(snapshot::listing))
                                .toList()),
                        executor);
    }

    @Override
    public CompletionStage<Optional<NodeClient.UtxoListing>> spendable(Address address, int most) {
        return ofCovered(
                address,
                at -> books.mostValuable(at, address, most + 1),
                snapshot -> snapshot.listing(address, coin -> true, most));
    }

    @Override
    public CompletionStage<Optional<NodeClient.UtxoListing>> spendable(Address address, Set<Outpoint> wanted) {
        return ofCovered(
                address,
                at -> books.unspent(at, List.of(address)),
                snapshot -> snapshot.listing(address, coin -> wanted.contains(coin.outpoint()), wanted.size()));
    }

    @Override
    public CompletionStage<Optional<Set<Outpoint>>> unspent(Address address, Set<Outpoint> wanted) {
        return ofCovered(
                address, at -> books.unspent(at, List.of(address)), snapshot -> snapshot.those(address, wanted));
    }

    private <T> CompletionStage<Optional<T>> ofCovered(
            Address address,
            Function<BlockPlace, CompletionStage<Optional<Map<Address, List<OwnCoin>>>>> reading,
            Function<LedgerSnapshot, T> answer) {
        if (lag() > MAX_LAG) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return snapshot(reading)
                .thenApplyAsync(
                        found -> found.filter(snapshot -> snapshot.covers(address))
                                .map(answer),
                        executor);
    }

    /** Reads the history of an address up to the followed tip; see {@link LedgerBooks#history}. */
    public CompletionStage<Optional<LedgerBooks.History>> history(
            Address address, long from, Optional<HistoryCursor> after, int most) {
        long to = follower.tip().map(FollowedTip::height).orElse(-1L);
        return books.history(address, from, to, after, most);
    }

    /** Whether the books lag too far behind what the nodes report for a look at the newest blocks. */
    public boolean isBehind() {
        return follower.reportedLag() > MAX_LAG;
    }

    @Override
    public CompletionStage<List<OptionalLong>> heights(List<LedgerBooks.Sought> transactions) {
        return books.heights(transactions);
    }

    /**
     * Reason, as text, why an address must not be removed: the ledger has coins of it, or its history was not read completely, so that
     * neither its coins nor its HTLCs are known. An empty result alone is no permission: the nodes must be asked as well.
     */
    public CompletionStage<Optional<String>> objection(Address address) {
        return snapshot(List.of(address))
                .thenApplyAsync(
                        found -> {
                            if (found.isEmpty() || !found.get().covers(address) || lag() > MAX_LAG) {
                                return Optional.of(notReadReason());
                            }
                            return found.get()
                                    .any(address)
                                    .map(coin -> "the daemon's own books have a coin of it: " + coin.outpoint());
                        },
                        executor);
    }

    private String notReadReason() {
        String checked = "it cannot be checked yet: ";
        if (follower.tip().isEmpty()) {
            return checked + "no block is followed";
        }
        return checked
                + follower.rescan()
                        .map(rescan -> "its history is being read, " + rescan.allBlocksLeft() + " blocks are left")
                        .orElseGet(() -> lag() > MAX_LAG
                                ? "the daemon's own books are " + lag() + " blocks behind"
                                : "its history was not read; rescan reads it");
    }
}
