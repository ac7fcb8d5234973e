package org.chainwalletd.coins;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.HistoryEntry;
import org.chainwalletd.store.books.LedgerBooks;

/** The ledger of own coins as the rest of the daemon sees it. Safe for threads; stages fail with {@code StoreException}. */
public final class CoinLedger {
    /** A key that is drawn now has no coins in blocks deeper than this below the followed tip: no reorganisation brings any. */
    private static final long YOUNG = 100;

    /** Books that are further behind the nodes say nothing of what an address has. */
    static final long MOST_BEHIND = 2;

    /** So long whoever brings a key waits to hear how long its rescan takes. */
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

    /** What the wallet has and what has come and gone, as {@link WalletWatch} has last read it. */
    public WalletFigures figures() {
        return figures;
    }

    /**
     * Watches a key that was drawn here this moment: nobody has paid it yet, so it is covered from the start. Durable when it completes. Before
     * the first block is followed it is watched as an old one: nobody knows in which blocks its first payment may be.
     */
    public CompletionStage<Void> watchFresh(Address address) {
        return books.watch(List.of(address), true, YOUNG);
    }

    /**
     * Watches keys that may have been paid long ago: they are covered when a rescan, which begins by itself, has read every block. Durable when
     * it completes.
     *
     * @return the blocks that rescans have to read until then; empty before the first block, or when the operator wants none
     */
    public CompletionStage<OptionalLong> watchOld(List<Address> addresses) {
        return books.watch(addresses, false, YOUNG).thenComposeAsync(watched -> readHistories(), executor);
    }

    /**
     * Begins to read what is wanted of the histories of addresses that are watched already; a rescan that cannot begin now begins later.
     *
     * @return the blocks that rescans have to read until then; empty before the first block, or when the operator wants none
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

    /** How many blocks the ledger is behind the nodes, as far as is known. */
    public long lag() {
        return follower.status().lag();
    }

    /** Whether a node names tips that nobody can follow, or lied a short while ago: its word is worth less than what is followed. */
    public boolean distrustsANode() {
        return follower.isDistrusting();
    }

    public Optional<FollowedTip> tip() {
        return follower.tip();
    }

    /** Somebody needs the newest block. */
    void hurry() {
        follower.nudge();
    }

    /** Whether there is anything to be known here of these addresses. */
    CompletionStage<Boolean> coversAny(List<Address> addresses) {
        return books.coversAny(addresses);
    }

    /** Coins of those addresses that are covered, at the followed tip; empty before the first block, and when that tip is just going. */
    CompletionStage<Optional<LedgerSnapshot>> snapshot(List<Address> addresses) {
        FollowStatus status = follower.status();
        if (status.tip().isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        FollowedTip tip = status.tip().get();
        int maturity = status.network().orElse(Network.MAINNET).coinbaseMaturity();
        return books.unspent(tip.place(), addresses)
                .thenApplyAsync(found -> found.map(coins -> new LedgerSnapshot(tip, maturity, coins)), executor);
    }

    /**
     * What the addresses have at the followed tip, in their order, as a node tells it: what the mempool spends still counts, and a coinbase does
     * when the next block may spend it. An address that is not covered has none; nothing before the first block, and when that tip is just going.
     */
    CompletionStage<Optional<List<Optional<Amount>>>> balances(List<Address> addresses) {
        FollowStatus status = follower.status();
        if (status.tip().isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        FollowedTip tip = status.tip().get();
        int maturity = status.network().orElse(Network.MAINNET).coinbaseMaturity();
        return books.sums(tip.place(), maturity, addresses);
    }

    /** Listings likewise. */
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

    /**
     * Coins of an address at the followed tip, whose values are read from bytes; empty while it is not covered, before the first block, and while
     * the books are further behind the nodes than may be.
     */
    public CompletionStage<Optional<NodeClient.UtxoListing>> spendable(Address address) {
        if (lag() > MOST_BEHIND) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return listings(List.of(address)).thenApplyAsync(found -> found.flatMap(listings -> listings.get(0)), executor);
    }

    /** The history of a watched address up to the followed tip; see {@link LedgerBooks#history}. */
    public CompletionStage<List<HistoryEntry>> history(
            Address address, long from, Optional<HistoryEntry.Position> after, int most) {
        long to = follower.tip().map(FollowedTip::height).orElse(-1L);
        return books.history(address, from, to, after, most);
    }

    /**
     * Why an address must not be given up, in words: the ledger has coins of it, or its history was not read to the end, so that neither its
     * coins nor its HTLCs are known. Empty permits nothing: the nodes are asked as well.
     */
    public CompletionStage<Optional<String>> objection(Address address) {
        return snapshot(List.of(address))
                .thenApplyAsync(
                        found -> {
                            if (found.isEmpty() || !found.get().covers(address) || lag() > MOST_BEHIND) {
                                return Optional.of(unread());
                            }
                            return found.get()
                                    .any(address)
                                    .map(coin -> "the daemon's own books have a coin of it: " + coin.outpoint());
                        },
                        executor);
    }

    private String unread() {
        String checked = "it cannot be checked yet: ";
        if (follower.tip().isEmpty()) {
            return checked + "no block is followed";
        }
        return checked
                + follower.rescan()
                        .map(rescan -> "its history is being read, " + rescan.allBlocksLeft() + " blocks are left")
                        .orElseGet(() -> lag() > MOST_BEHIND
                                ? "the daemon's own books are " + lag() + " blocks behind"
                                : "its history was not read; rescan reads it");
    }
}
