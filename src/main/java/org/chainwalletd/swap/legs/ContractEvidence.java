package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.AccountEndpoint;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.AccountReads.AccountLog;
import org.chainwalletd.account.endpoints.AccountReads.LogQuery;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SellGate;
import org.chainwalletd.swap.gates.SellGate.EndpointView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks every endpoint of the account chain about one hash lock, for the {@link SellGate}. All are asked at the same final block, by its hash,
 * so that their answers can be compared; an endpoint that does not have that block, or fails at any question, has said nothing.
 */
public final class ContractEvidence {
    private static final Logger LOG = LoggerFactory.getLogger(ContractEvidence.class);

    private final AccountChain chain;
    private final EvmAddress contract;
    private final Executor executor;

    public ContractEvidence(AccountChain chain, EvmAddress contract, Executor executor) {
        this.chain = chain;
        this.contract = contract;
        this.executor = executor;
    }

    /** What each endpoint that answers in full says; in no order. Fails when no final block is agreed on. */
    public CompletionStage<List<EndpointView>> look(Hash256 hashLock) {
        return chain.finalBlock()
                .thenComposeAsync(
                        block -> block.isEmpty()
                                ? CompletableFuture.completedFuture(List.<EndpointView>of())
                                : look(hashLock, block.get()),
                        executor);
    }

    private CompletionStage<List<EndpointView>> look(Hash256 hashLock, AccountBlock settled) {
        CompletionStage<List<EndpointView>> views = CompletableFuture.completedFuture(List.of());
        for (AccountEndpoint endpoint : chain.endpoints()) {
            CompletionStage<Optional<EndpointView>> one = view(endpoint, hashLock, settled)
                    .handleAsync((view, failure) -> heard(endpoint, view, failure), executor);
            views = views.thenCombineAsync(one, ContractEvidence::plus, executor);
        }
        return views;
    }

    private static Optional<EndpointView> heard(AccountEndpoint endpoint, EndpointView view, Throwable failure) {
        if (failure != null) {
            LOG.info("account-chain endpoint {} says nothing of a lock: {}", endpoint.name(), failure.toString());
        }
        return Optional.ofNullable(view);
    }

    private static List<EndpointView> plus(List<EndpointView> views, Optional<EndpointView> one) {
        List<EndpointView> more = new ArrayList<>(views);
        one.ifPresent(more::add);
        return List.copyOf(more);
    }

    private CompletionStage<EndpointView> view(AccountReads reads, Hash256 hashLock, AccountBlock settled) {
        BlockRef at = BlockRef.hash(settled.hash());
        CompletionStage<SettledView> settledView = reads.chainId()
                .thenCombineAsync(reads.code(contract, at), SettledView::begun, executor)
                .thenCombineAsync(reads.swap(contract, hashLock, at), SettledView::holding, executor);
        CompletionStage<NewestView> newest = newest(reads, hashLock);
        CompletionStage<Long> lockedAt = lockedAt(reads, hashLock, settled);
        return settledView
                .thenCombineAsync(
                        newest,
                        (one, other) -> new EndpointView(
                                one.chainId(),
                                settled.hash(),
                                settled.number(),
                                one.codeHash(),
                                one.slot(),
                                other.slot(),
                                other.time(),
                                0),
                        executor)
                .thenCombineAsync(lockedAt, (view, time) -> view.withLockAt(time), executor);
    }

    private record SettledView(BigInteger chainId, Hash256 codeHash, SwapContract.Swap slot) {
        static SettledView begun(BigInteger chainId, Bytes code) {
            return new SettledView(chainId, Hash256.of(Keccak256.of(code.toArray())), null);
        }

        SettledView holding(SwapContract.Swap found) {
            return new SettledView(chainId, codeHash, found);
        }
    }

    private record NewestView(SwapContract.Swap slot, long time) {}

    /** The slot at the very block whose time is told. */
    private CompletionStage<NewestView> newest(AccountReads reads, Hash256 hashLock) {
        return reads.block(BlockRef.Tag.LATEST)
                .thenComposeAsync(
                        found -> {
                            AccountBlock block = found.orElseThrow(ContractEvidence::withoutBlocks);
                            return reads.swap(contract, hashLock, BlockRef.hash(block.hash()))
                                    .thenApplyAsync(slot -> new NewestView(slot, block.timestamp()), executor);
                        },
                        executor);
    }

    private static IllegalStateException withoutBlocks() {
        return new IllegalStateException("it has no blocks");
    }

    /**
     * Time of the newest block up to the settled one in which the slot was locked. Only so many blocks back as one question may ask for: a
     * lock that is older than that came long before its window, which nobody needs to know exactly. It then counts as never: too late.
     */
    private CompletionStage<Long> lockedAt(AccountReads reads, Hash256 hashLock, AccountBlock settled) {
        long from = Math.max(0, settled.number() - LogQuery.MOST_BLOCKS + 1);
        LogQuery query = new LogQuery(
                contract,
                List.of(Optional.of(SwapContract.LOCKED_TOPIC), Optional.of(hashLock)),
                from,
                settled.number());
        return reads.logs(query)
                .thenComposeAsync(
                        logs -> logs.isEmpty()
                                ? CompletableFuture.completedFuture(EndpointView.NEVER)
                                : timeOf(reads, logs.get(logs.size() - 1)),
                        executor);
    }

    private CompletionStage<Long> timeOf(AccountReads reads, AccountLog log) {
        return reads.block(BlockRef.hash(log.blockHash()))
                .thenApplyAsync(block -> block.map(AccountBlock::timestamp).orElse(EndpointView.NEVER), executor);
    }
}
