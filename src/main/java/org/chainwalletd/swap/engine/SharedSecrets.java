package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.account.AccountBlock;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.AccountTransaction;
import org.chainwalletd.account.BlockRef;
import org.chainwalletd.account.SendKind;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.HtlcRecord;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.spend.Receipt;
import org.chainwalletd.swap.legs.ChainFee;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.legs.SwapSends;

/**
 * Uses a secret that one chain shows on the other one, for swaps without a row: whoever took our lock has shown it, and what was promised for
 * it is ours. Those with a row are claimed by their own actors.
 */
public final class SharedSecrets {
    private static final int AT_ONCE = 100;
    private static final int SECRET_BYTES = 32;
    /** No lock lasts longer, on either chain; older ones have long ended. */
    private static final long RECENT_BLOCKS = 8_640;

    private static final int MOST_SEARCHED = 5_000;

    private final Setup setup;

    /**
     * What it works with.
     *
     * @param tip height of the followed chain; empty before the first look
     * @param claim on the chain; the same request twice is one claim
     * @param executor for continuations; never blocks
     */
    public record Setup(
            AccountChain chain,
            AccountSends sends,
            EvmAddress contract,
            SwapJournal journal,
            HtlcRecords htlcs,
            Supplier<OptionalLong> tip,
            Function<ClaimRequest, CompletionStage<Receipt>> claim,
            ChainProfile profile,
            Consumer<SwapAlarm> alarms,
            Executor executor) {}

    public SharedSecrets(Setup setup) {
        this.setup = setup;
    }

    /**
     * Claims in the contract what claims of our locks on the chain have opened.
     *
     * @param ours addresses on the account chain
     * @param settled hash locks of which nothing is expected any more
     * @return more of them
     */
    CompletionStage<Set<Hash256>> fromTheChain(List<EvmAddress> ours, Set<Hash256> settled) {
        OptionalLong tip = setup.tip().get();
        if (tip.isEmpty()) {
            return CompletableFuture.completedFuture(Set.of());
        }
        long since = Long.compareUnsigned(tip.getAsLong(), RECENT_BLOCKS) > 0 ? tip.getAsLong() - RECENT_BLOCKS : 0;
        return page(ours, settled, since, Optional.empty(), new HashSet<>());
    }

    private CompletionStage<Set<Hash256>> page(
            List<EvmAddress> ours, Set<Hash256> settled, long since, Optional<String> cursor, Set<Hash256> found) {
        HtlcRecords.Query query = new HtlcRecords.Query(
                Set.of(HtlcRecord.Role.SENDER, HtlcRecord.Role.BOTH),
                Set.of(HtlcRecord.State.CLAIMED),
                OptionalLong.of(since),
                Optional.empty(),
                cursor,
                AT_ONCE);
        return setup.htlcs()
                .list(query)
                .thenComposeAsync(
                        listing -> each(listing.records().iterator(), ours, settled, found)
                                .thenComposeAsync(
                                        done -> listing.nextCursor().isEmpty()
                                                ? CompletableFuture.completedFuture(found)
                                                : page(ours, settled, since, listing.nextCursor(), found),
                                        setup.executor()),
                        setup.executor());
    }

    private CompletionStage<Void> each(
            Iterator<HtlcRecord> records, List<EvmAddress> ours, Set<Hash256> settled, Set<Hash256> found) {
        if (!records.hasNext()) {
            return CompletableFuture.completedFuture(null);
        }
        HtlcRecord record = records.next();
        Hash256 hashLock = record.params().hashLock();
        boolean fits = record.claim()
                .filter(claim -> claim.preimage().length() == SECRET_BYTES)
                .isPresent();
        CompletionStage<Boolean> over = !fits || settled.contains(hashLock)
                ? CompletableFuture.completedFuture(true)
                : setup.journal()
                        .ofHashLock(hashLock)
                        .thenComposeAsync(
                                row -> row.isPresent()
                                        ? CompletableFuture.completedFuture(true)
                                        : claimInContract(
                                                hashLock,
                                                record.claim().orElseThrow().preimage(),
                                                ours),
                                setup.executor());
        return over.thenComposeAsync(
                isOver -> {
                    if (isOver) {
                        found.add(hashLock);
                    }
                    return each(records, ours, settled, found);
                },
                setup.executor());
    }

    /** Whether nothing is left to be claimed. */
    private CompletionStage<Boolean> claimInContract(Hash256 hashLock, Bytes secret, List<EvmAddress> ours) {
        return setup.chain()
                .agreed(reads -> reads.swap(setup.contract(), hashLock, BlockRef.Tag.LATEST))
                .thenComposeAsync(
                        slot -> slot.state() == SwapContract.State.LOCKED && ours.contains(slot.recipient())
                                ? claimInContract(hashLock, secret, slot)
                                : CompletableFuture.completedFuture(true),
                        setup.executor());
    }

    private CompletionStage<Boolean> claimInContract(Hash256 hashLock, Bytes secret, SwapContract.Swap slot) {
        alarm(
                SwapAlarm.Kind.CLAIM_WITHOUT_ROW,
                hashLock,
                "a lock in the contract that pays us, and of which the journal knows nothing, is claimed with the secret that the chain shows");
        return new SwapSends(setup.sends(), setup.executor())
                .send(
                        "watchtower/" + setup.contract() + "/" + hashLock.hex() + "/claim",
                        OptionalLong.of(slot.deadline()),
                        (reference, attempt) -> new SendRequest(
                                reference,
                                SendKind.CLAIM,
                                slot.recipient(),
                                setup.contract(),
                                SendRequest.SendValue.exactly(BigInteger.ZERO),
                                SwapContract.claim(secret.toArray()),
                                new SendRequest.Gas.Fixed(SwapSends.gas(attempt)),
                                Optional.of(slot.amount()),
                                SendRequest.Pushing.URGENTLY,
                                Optional.empty()))
                .thenApplyAsync(sent -> false, setup.executor());
    }

    /**
     * Claims on the chain what a claim of our lock in the contract has opened.
     *
     * @param from block of our lock
     * @return whether something may still have to be claimed
     */
    CompletionStage<Boolean> fromTheContract(Hash256 hashLock, long from) {
        return setup.htlcs()
                .ofHashLock(hashLock)
                .thenComposeAsync(
                        records -> {
                            List<HtlcRecord> open = records.stream()
                                    .filter(SharedSecrets::paysUs)
                                    .toList();
                            return open.isEmpty()
                                    ? CompletableFuture.completedFuture(false)
                                    : search(hashLock, from)
                                            .thenComposeAsync(secret -> claimAll(open, secret), setup.executor());
                        },
                        setup.executor());
    }

    private static boolean paysUs(HtlcRecord record) {
        return record.state().isOpen()
                && record.lockHeight().isPresent()
                && (record.role() == HtlcRecord.Role.RECEIVER || record.role() == HtlcRecord.Role.BOTH);
    }

    private CompletionStage<Boolean> claimAll(List<HtlcRecord> open, Optional<Bytes> secret) {
        if (secret.isEmpty()) {
            alarm(
                    SwapAlarm.Kind.SECRET_NOT_FOUND,
                    open.get(0).params().hashLock(),
                    "our lock in the contract was claimed, and its secret is in no direct claim: find it in the trace of that transaction,"
                            + " and claim " + open.get(0).lock() + " with htlc_claim");
            return CompletableFuture.completedFuture(false);
        }
        CompletionStage<Receipt> claims = CompletableFuture.completedFuture(null);
        for (HtlcRecord record : open) {
            alarm(
                    SwapAlarm.Kind.CLAIM_WITHOUT_ROW,
                    record.params().hashLock(),
                    record.lock()
                            + " pays us, the journal knows nothing of it, and it is claimed with the secret that the contract shows");
            claims = claims.thenComposeAsync(
                    done -> setup.claim().apply(request(record, secret.get())), setup.executor());
        }
        return claims.thenApplyAsync(done -> true, setup.executor());
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
                Optional.of("watchtower-claim-" + record.lock()));
    }

    /** One endpoint's word is enough: a secret either has the hash or it has not. */
    private CompletionStage<Optional<Bytes>> search(Hash256 hashLock, long from) {
        return setup.chain()
                .any()
                .block(BlockRef.Tag.LATEST)
                .thenComposeAsync(
                        head -> search(
                                hashLock,
                                from,
                                Math.min(
                                        head.map(AccountBlock::number).orElse(-1L),
                                        Math.addExact(from, MOST_SEARCHED))),
                        setup.executor());
    }

    private CompletionStage<Optional<Bytes>> search(Hash256 hashLock, long number, long last) {
        if (number > last) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return setup.chain()
                .any()
                .transactionsTo(setup.contract(), BlockRef.number(number))
                .thenComposeAsync(
                        block -> {
                            Optional<Bytes> secret = block.orElse(List.of()).stream()
                                    .flatMap(tx -> secretOf(tx, hashLock).stream())
                                    .findFirst();
                            return secret.isPresent()
                                    ? CompletableFuture.completedFuture(secret)
                                    : search(hashLock, number + 1, last);
                        },
                        setup.executor());
    }

    private static Optional<Bytes> secretOf(AccountTransaction transaction, Hash256 hashLock) {
        return SwapContract.claimed(transaction.input())
                .filter(preimage -> Hash256.sha256(preimage).equals(hashLock))
                .map(Bytes::wrap);
    }
}
