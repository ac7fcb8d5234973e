package org.chainwalletd.rpc.method;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Htlcs.Htlc;
import org.chainwalletd.api.Htlcs.HtlcClaim;
import org.chainwalletd.api.Htlcs.HtlcForget;
import org.chainwalletd.api.Htlcs.HtlcList;
import org.chainwalletd.api.Htlcs.HtlcLock;
import org.chainwalletd.api.Htlcs.HtlcLookupByHashlock;
import org.chainwalletd.api.Htlcs.HtlcReclaim;
import org.chainwalletd.api.Htlcs.HtlcStatus;
import org.chainwalletd.api.Htlcs.Redeemed;
import org.chainwalletd.api.Htlcs.RoleFilter;
import org.chainwalletd.api.Htlcs.SimulateHtlcLock;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.LockRequest;
import org.chainwalletd.htlc.ReclaimRequest;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.Simulation;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.Requester;
import org.chainwalletd.spend.plan.TransferRequest;

/**
 * Handlers of the methods of {@link Htlcs}.
 *
 * @param records searched by the read methods
 * @param count number of HTLCs in the local index
 */
public record HtlcMethods(
        HtlcSpends spends,
        HtlcRecords records,
        Function<Outpoint, CompletionStage<Boolean>> forgetting,
        Supplier<CompletionStage<Long>> count,
        Executor executor) {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1000;

    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(HtlcLock.class, this::lock),
                RpcMethod.of(SimulateHtlcLock.class, this::simulateLock),
                RpcMethod.of(HtlcClaim.class, this::claim),
                RpcMethod.of(HtlcReclaim.class, this::reclaim),
                RpcMethod.of(HtlcStatus.class, this::status),
                RpcMethod.of(HtlcList.class, this::list),
                RpcMethod.of(
                        HtlcLookupByHashlock.class,
                        call -> records.ofHashLock(call.hashLock()),
                        found -> new HtlcLookupByHashlock.Result(htlcs(found)),
                        executor),
                RpcMethod.of(
                        HtlcForget.class,
                        call -> forgetting.apply(outpoint(call.lockTxId(), call.outputIndex())),
                        HtlcForget.Result::new,
                        executor));
    }

    private CompletionStage<HtlcLock.Result> lock(HtlcLock call, CallContext context) {
        LockRequest request = request(call.lock(), call.clientToken());
        return spends.lock(request, new Requester(context.grant(), SpendOptions.memo(call.memo())))
                .thenApplyAsync(receipt -> result(request, receipt), executor);
    }

    private CompletionStage<SimulateHtlcLock.Result> simulateLock(SimulateHtlcLock call) {
        LockRequest request = request(call.lock(), Optional.empty());
        return spends.simulateLock(request).thenApplyAsync(simulation -> result(request, simulation), executor);
    }

    private static LockRequest request(Htlcs.Lock lock, Optional<String> clientToken) {
        return new LockRequest(
                lock.from(),
                lock.receiver(),
                lock.hashLock(),
                lock.timeout(),
                lock.amount(),
                SpendOptions.fee(lock.feeRate(), lock.fee()),
                lock.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE),
                SpendOptions.token(clientToken));
    }

    private static HtlcLock.Result result(LockRequest request, Receipt receipt) {
        Optional<Amount> change = receipt.outputs().stream()
                .filter(Receipt.PaidOutput::change)
                .map(paid -> paid.output().value())
                .findFirst();
        return new HtlcLock.Result(
                receipt.txId(),
                LockRequest.OUTPUT_INDEX,
                request.amount(),
                request.hashLock(),
                request.timeout(),
                request.receiver(),
                receipt.size(),
                receipt.fee(),
                receipt.feeRate(),
                receipt.builtAtHeight(),
                change);
    }

    private static SimulateHtlcLock.Result result(LockRequest request, Simulation simulation) {
        return new SimulateHtlcLock.Result(
                simulation.size(),
                simulation.fee(),
                simulation.feeRate(),
                LockRequest.OUTPUT_INDEX,
                request.amount(),
                request.hashLock(),
                request.timeout(),
                request.receiver(),
                simulation.totalIn(),
                simulation.change(),
                simulation.builtAtHeight());
    }

    private CompletionStage<Redeemed> claim(HtlcClaim call, CallContext context) {
        int length = call.preimage().length();
        if (length < 1 || length > ClaimRequest.MAX_PREIMAGE_BYTES) {
            throw RefusedException.invalidParams(
                    "`preimage` must have 1 to " + ClaimRequest.MAX_PREIMAGE_BYTES + " bytes, got " + length);
        }
        Outpoint lock = outpoint(call.lockTxId(), call.outputIndex());
        ClaimRequest request = new ClaimRequest(
                call.from(),
                lock,
                call.preimage(),
                call.sender(),
                call.timeout(),
                call.fee(),
                Optional.of(call.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE)),
                SpendOptions.token(call.clientToken()));
        return spends.redeem(request, new Requester(context.grant(), SpendOptions.memo(call.memo())))
                .thenApplyAsync(receipt -> redeemed("claim", lock, receipt), executor);
    }

    private CompletionStage<Redeemed> reclaim(HtlcReclaim call, CallContext context) {
        Outpoint lock = outpoint(call.lockTxId(), call.outputIndex());
        ReclaimRequest request = new ReclaimRequest(
                call.from(),
                lock,
                call.receiver(),
                call.hashLock(),
                call.timeout(),
                call.fee(),
                Optional.of(call.maxFee().orElse(TransferRequest.DEFAULT_MAX_FEE)),
                SpendOptions.token(call.clientToken()));
        return spends.redeem(request, new Requester(context.grant(), SpendOptions.memo(call.memo())))
                .thenApplyAsync(receipt -> redeemed("reclaim", lock, receipt), executor);
    }

    private static Redeemed redeemed(String kind, Outpoint lock, Receipt receipt) {
        return new Redeemed(
                receipt.txId(),
                kind,
                receipt.outputs().get(0).output().value(),
                receipt.fee(),
                lock.txId(),
                lock.index(),
                receipt.size());
    }

    private CompletionStage<Htlc> status(HtlcStatus call) {
        Outpoint lock = outpoint(call.lockTxId(), call.outputIndex());
        return records.status(lock)
                .thenApplyAsync(
                        found -> found.map(HtlcMethods::htlc)
                                .orElseThrow(() -> new RefusedException(
                                        ErrorCode.WALLET_NOT_FOUND, "the index has no HTLC at " + lock)),
                        executor);
    }

    private CompletionStage<HtlcList.Result> list(HtlcList call) {
        long limit = call.limit().orElse(DEFAULT_LIMIT);
        if (limit < 1) {
            throw RefusedException.invalidParams("`limit` must be at least 1");
        }
        HtlcRecords.Query query = new HtlcRecords.Query(
                roles(call.role().orElse(RoleFilter.ANY)),
                call.state().map(states -> Set.copyOf(states.items())).orElse(EnumSet.allOf(Htlcs.State.class)),
                call.sinceHeight(),
                call.address(),
                call.cursor(),
                (int) Math.min(limit, MAX_LIMIT));
        return records.list(query)
                .thenApplyAsync(page -> new HtlcList.Result(htlcs(page.records()), page.nextCursor()), executor);
    }

    private static Set<Htlcs.Role> roles(RoleFilter asked) {
        return asked == RoleFilter.ANY ? EnumSet.allOf(Htlcs.Role.class) : EnumSet.of(Htlcs.Role.valueOf(asked.name()));
    }

    private static Outpoint outpoint(Hash256 lockTxId, OptionalLong outputIndex) {
        return new Outpoint(lockTxId, outputIndex.orElse(0));
    }

    private static List<Htlc> htlcs(List<HtlcRecord> found) {
        return found.stream().map(HtlcMethods::htlc).toList();
    }

    /** Converts an HTLC to the form used by methods and events. */
    public static Htlc htlc(HtlcRecord found) {
        return new Htlc(
                found.lock().txId(),
                found.lock().index(),
                new Htlc.Params(
                        found.params().sender(),
                        found.params().receiver(),
                        found.params().hashLock(),
                        found.params().timeoutHeight()),
                found.amount(),
                found.lockHeight(),
                found.state(),
                found.claim(),
                found.reclaim(),
                found.role(),
                found.lastIndexedHeight());
    }
}
