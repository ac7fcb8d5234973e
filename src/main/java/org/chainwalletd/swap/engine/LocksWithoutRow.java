package org.chainwalletd.swap.engine;

import static org.chainwalletd.stage.Blocking.await;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Intent;
import org.chainwalletd.swap.engine.LockScan.Fate;
import org.chainwalletd.swap.gates.SwapRow.RefundDue;
import org.chainwalletd.swap.legs.Redeeming.ChainFee;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.legs.SwapSends;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles locks of a swap that has no row. Our lock in the contract is refunded when that is due. When a claim of our lock on either chain has
 * revealed the secret, the pool's lock with the same hash, which pays us, is claimed on the other chain. Swaps with a row are continued by their
 * own actors.
 */
public final class LocksWithoutRow {
    private static final Logger LOG = LoggerFactory.getLogger(LocksWithoutRow.class);

    private static final int AT_ONCE = 100;
    private static final int SECRET_BYTES = 32;
    /** Longest duration of a lock on either chain, in blocks; older locks have ended. */
    private static final long RECENT_BLOCKS = 8_640;

    /** Longest duration of a lock, in seconds. */
    private static final long LONGEST_SECONDS = 86_400;
    /**
     * Seconds by which the followed tip must be past a claim in the contract before all HTLCs locked before that claim count as entered in the
     * books.
     */
    private static final long BOOKS_SECONDS = 3_600;

    /**
     * Maximum seconds by which the newest block of the account chain may be older than the followed tip for the absence of a lock in the contract
     * to count.
     */
    private static final long LAG_SECONDS = 60;

    private final Setup setup;
    private final SecretSearch search;
    private final Rewatches rewatches;

    /**
     * @param tip followed tip of the chain; empty before the first one is known
     * @param bound returns the spend bound to a token, after one more commit; empty means that the spend was never begun
     * @param claim claims on the chain; idempotent for equal requests
     * @param rewatch receives the ids of rows that exist but are not watched
     */
    public record Setup(
            AccountChain chain,
            AccountSends sends,
            EvmAddress contract,
            SwapJournal journal,
            HtlcRecords htlcs,
            Supplier<Optional<FollowedTip>> tip,
            Function<String, CompletionStage<Optional<Intent>>> bound,
            Function<ClaimRequest, CompletionStage<Receipt>> claim,
            ChainProfile profile,
            Consumer<String> rewatch,
            Consumer<SwapAlarm> alarms) {}

    public LocksWithoutRow(Setup setup) {
        this.setup = setup;
        this.search = new SecretSearch(setup.chain(), setup.contract());
        this.rewatches = new Rewatches(setup.rewatch());
    }

    /** @param open hash locks of our open locks in the contract; the progress of all others is forgotten */
    void beginRound(Set<Hash256> open) {
        search.beginRound(open);
    }

    /** Handles a lock of ours in the contract that is known only from an event. */
    Fate handle(LockScan.Seen lock) {
        Optional<SwapJournal.Held> row = await(setup.journal().ofHashLock(lock.hashLock()));
        if (row.isPresent()) {
            return rewatches.isDone(row.get()) ? Fate.OVER : Fate.OPEN;
        }
        Optional<AccountBlock> block = await(setup.chain().finalBlock());
        return block.isEmpty() ? Fate.OPEN : withoutRow(lock, block.get());
    }

    /**
     * Handles a lock without a row. An event that an endpoint invented has no lock in the contract. Neither has an event of a block later than
     * {@code at}, because the endpoints that answer now may be behind those that reported the event; such a lock stays open.
     */
    private Fate withoutRow(LockScan.Seen lock, AccountBlock at) {
        if (at.number() < lock.block()) {
            return Fate.OPEN;
        }
        SwapContract.Swap slot = slot(lock.hashLock(), BlockRef.hash(at.hash()));
        boolean ours = slot.sender().equals(lock.sender());
        if (ours && slot.state() == SwapContract.State.CLAIMED) {
            return claimOnTheChain(lock, slot.deadline(), at);
        }
        if (!ours || slot.state() != SwapContract.State.LOCKED) {
            return Fate.OVER;
        }
        if (RefundDue.inTheContract(await(setup.chain().reached(LocksWithoutRow::newestTime)), slot.deadline())) {
            alarm(
                    SwapAlarm.Kind.LOCK_WITHOUT_ROW,
                    lock.hashLock(),
                    "a lock of " + lock.sender()
                            + " in the contract, of which the journal knows nothing, is taken back");
            send(lock.hashLock(), SendKind.REFUND, lock.sender(), SwapContract.refund(lock.hashLock()), slot);
        }
        return Fate.OPEN;
    }

    private SwapContract.Swap slot(Hash256 hashLock, BlockRef at) {
        return await(setup.chain().agreed(reads -> reads.swap(setup.contract(), hashLock, at)));
    }

    /** Sends a claim or a refund. Its reference is derived from the lock, so repeated calls send the same transaction; a failed one is retried. */
    private void send(Hash256 hashLock, SendKind kind, EvmAddress from, Bytes call, SwapContract.Swap slot) {
        new SwapSends(setup.sends())
                .send(
                        "watchtower/" + setup.contract() + "/" + hashLock.hex() + "/" + kind.word(),
                        new SwapSends.Redeem(
                                kind,
                                from,
                                setup.contract(),
                                call,
                                slot.amount(),
                                kind == SendKind.CLAIM ? OptionalLong.of(slot.deadline()) : OptionalLong.empty()));
    }

    /**
     * Claims in the contract with the secrets that claims of our locks on the chain have revealed.
     *
     * @param ours addresses on the account chain
     * @param settled hash locks that need no further check
     * @return further hash locks that need no further check
     */
    Set<Hash256> useRevealedSecrets(List<EvmAddress> ours, Set<Hash256> settled) {
        Optional<FollowedTip> tip = setup.tip().get();
        if (tip.isEmpty()) {
            return Set.of();
        }
        long height = tip.get().height();
        long since = Long.compareUnsigned(height, RECENT_BLOCKS) > 0 ? height - RECENT_BLOCKS : 0;
        boolean isContractFresh = await(setup.chain().reached(LocksWithoutRow::newestTime)) + LAG_SECONDS
                >= tip.get().timestamp();
        Set<Hash256> more = new HashSet<>();
        Optional<String> cursor = Optional.empty();
        do {
            HtlcRecords.Listing listing = await(setup.htlcs()
                    .list(new HtlcRecords.Query(
                            Set.of(Htlcs.Role.SENDER, Htlcs.Role.BOTH),
                            Set.of(Htlcs.State.CLAIMED),
                            OptionalLong.of(since),
                            Optional.empty(),
                            cursor,
                            AT_ONCE)));
            for (HtlcRecord record : listing.records()) {
                Hash256 hashLock = record.params().hashLock();
                if (settled.contains(hashLock)) {
                    more.add(hashLock);
                } else {
                    attempt("the claim of " + record.lock() + " cannot be used", () -> {
                        // While endpoints catch up, they may lack locks that the pool has made since.
                        if (isOver(record, ours) && isContractFresh) {
                            more.add(hashLock);
                        }
                    });
                }
            }
            cursor = listing.nextCursor();
        } while (cursor.isPresent());
        return more;
    }

    /** Returns the time of the newest block of an endpoint, Unix seconds; 0 when it has none. */
    static long newestTime(AccountReads reads) {
        return reads.block(BlockRef.Tag.LATEST).map(AccountBlock::timestamp).orElse(0L);
    }

    private boolean isOver(HtlcRecord record, List<EvmAddress> ours) {
        Hash256 hashLock = record.params().hashLock();
        Optional<Bytes> secret =
                record.claim().map(claim -> claim.preimage()).filter(preimage -> preimage.length() == SECRET_BYTES);
        return secret.isEmpty()
                || await(setup.journal().ofHashLock(hashLock))
                        .map(rewatches::isDone)
                        .orElseGet(() -> claimInContract(hashLock, secret.get(), ours));
    }

    /** Claims the lock in the contract if it pays us and is open; returns true when nothing is left to claim. */
    private boolean claimInContract(Hash256 hashLock, Bytes secret, List<EvmAddress> ours) {
        SwapContract.Swap slot = slot(hashLock, BlockRef.Tag.LATEST);
        if (slot.state() != SwapContract.State.LOCKED || !ours.contains(slot.recipient())) {
            return true;
        }
        alarm(
                SwapAlarm.Kind.CLAIM_WITHOUT_ROW,
                hashLock,
                "a lock in the contract that pays us, and of which the journal knows nothing, is claimed with the secret that the chain shows");
        send(hashLock, SendKind.CLAIM, slot.recipient(), SwapContract.claim(secret.toArray()), slot);
        return false;
    }

    /**
     * Claims on the chain with the secret that a claim of our lock in the contract has revealed.
     *
     * @param deadline of our lock
     * @param at final block by which it was claimed
     */
    private Fate claimOnTheChain(LockScan.Seen lock, long deadline, AccountBlock at) {
        search.begin(lock, at);
        List<HtlcRecord> open = await(setup.htlcs().ofHashLock(lock.hashLock())).stream()
                .filter(LocksWithoutRow::paysUs)
                .toList();
        if (open.isEmpty()) {
            return areBooksComplete(deadline, search.claimedBy(lock.hashLock())) ? Fate.OVER : Fate.OPEN;
        }
        SecretSearch.State state = search.readNext(lock.hashLock());
        search.secret(lock.hashLock()).ifPresentOrElse(secret -> claimAll(open, secret), () -> missing(open, state));
        return state == SecretSearch.State.READING ? Fate.READING : Fate.OPEN;
    }

    /**
     * Tests whether no HTLC that belongs to a claimed lock can enter the books any more. The books may lag, for example after a restore, and a
     * reorganisation may remove an HTLC from them for a while.
     *
     * @param claimedBy time of a block by which the lock was claimed, Unix seconds
     */
    private boolean areBooksComplete(long deadline, long claimedBy) {
        long time = setup.tip().get().map(FollowedTip::timestamp).orElse(0L);
        return time >= LONGEST_SECONDS
                && Long.compareUnsigned(time - LONGEST_SECONDS, deadline) >= 0
                && time - BOOKS_SECONDS >= claimedBy;
    }

    private static boolean paysUs(HtlcRecord record) {
        return record.isOpen()
                && record.lockHeight().isPresent()
                && (record.role() == Htlcs.Role.RECEIVER || record.role() == Htlcs.Role.BOTH);
    }

    private void missing(List<HtlcRecord> open, SecretSearch.State state) {
        if (state == SecretSearch.State.NOT_FOUND || state == SecretSearch.State.STALLED) {
            HtlcRecord first = open.get(0);
            alarm(
                    SwapAlarm.Kind.SECRET_NOT_FOUND,
                    first.params().hashLock(),
                    "our lock in the contract was claimed, and its secret is "
                            + (state == SecretSearch.State.NOT_FOUND
                                    ? "in no direct claim"
                                    : "not found yet, since endpoints do not show all blocks")
                            + ": find it in the trace of that transaction, and claim " + first.lock()
                            + " with htlc_claim");
        }
    }

    private void claimAll(List<HtlcRecord> open, Bytes secret) {
        for (HtlcRecord record : open) {
            alarm(
                    SwapAlarm.Kind.CLAIM_WITHOUT_ROW,
                    record.params().hashLock(),
                    record.lock()
                            + " pays us, the journal knows nothing of it, and it is claimed with the secret that the contract shows");
            attempt(
                    record.lock() + " cannot be claimed",
                    () -> await(setup.claim().apply(begunEarlier(request(record, secret)))));
        }
    }

    /** Runs one of several independent actions; logs a failure instead of throwing, so that the others still run. */
    static void attempt(String failure, Runnable act) {
        try {
            act.run();
        } catch (RuntimeException e) {
            LOG.atLevel(Background.levelOf(e)).log("watchtower: {}: {}", failure, e.toString());
        }
    }

    private void alarm(SwapAlarm.Kind kind, Hash256 hashLock, String message) {
        setup.alarms().accept(SwapAlarm.withoutRow(kind, hashLock, message));
    }

    private ClaimRequest request(HtlcRecord record, Bytes secret) {
        Amount minimum =
                TxShape.EMPTY.plusPlainOutputs(1).plusClaim(SECRET_BYTES).minimumFee();
        return new ClaimRequest(
                setup.profile().addressOf(record.params().receiver()),
                record.lock(),
                secret,
                record.params().sender(),
                record.params().timeoutHeight(),
                Optional.of(ChainFee.of(minimum, record.amount(), 1)),
                Optional.empty(),
                Optional.of(ClaimRequest.tokenOfWatchtower(record.lock())));
    }

    /**
     * Returns the claim under the token of earlier releases if one of them began exactly this claim; a caller may have used that token for another
     * spend.
     */
    private ClaimRequest begunEarlier(ClaimRequest claim) {
        String earlier = "watchtower-claim-" + claim.lock();
        return await(setup.bound().apply(earlier))
                .flatMap(Intent::token)
                .filter(binding -> binding.digest().equals(claim.digest()))
                .map(binding -> claim.under(binding.token()))
                .orElse(claim);
    }
}
