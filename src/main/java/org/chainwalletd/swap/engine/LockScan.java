package org.chainwalletd.swap.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.AccountEndpoint;
import org.chainwalletd.account.endpoints.AccountReads.AccountLog;
import org.chainwalletd.account.endpoints.AccountReads.LogQuery;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the events of locks that addresses of ours have sent to the contract. Each endpoint may leave some out or invent some: what any of
 * them shows counts, and is checked against the contract by whoever acts on it.
 */
public final class LockScan {
    private static final Logger LOG = LoggerFactory.getLogger(LockScan.class);
    private static final byte[] PADDING = new byte[Hash256.LENGTH - EvmAddress.LENGTH];

    private final AccountChain chain;
    private final EvmAddress contract;
    private final Executor executor;

    LockScan(AccountChain chain, EvmAddress contract, Executor executor) {
        this.chain = chain;
        this.contract = contract;
        this.executor = executor;
    }

    /**
     * An event of a lock.
     *
     * @param block that has it
     */
    record Seen(Hash256 hashLock, EvmAddress sender, long block) {}

    /** @param last block that was read; at most {@link LogQuery#MOST_BLOCKS} from the first */
    record Range(long first, long last) {
        static Range of(long first, long end) {
            return new Range(first, Math.min(end, Math.addExact(first, LogQuery.MOST_BLOCKS - 1)));
        }
    }

    /** Reads the locks that all endpoints together show, each once; fails unless a quorum of them has answered every question. */
    CompletionStage<Collection<Seen>> read(Range range, List<EvmAddress> senders) {
        CompletionStage<Merged> merged = CompletableFuture.completedFuture(new Merged(0, Map.of()));
        for (AccountEndpoint endpoint : chain.endpoints()) {
            CompletionStage<Optional<List<Seen>>> one = ofAll(endpoint, range, senders)
                    .handleAsync((seen, failure) -> heard(endpoint, seen, failure), executor);
            merged = merged.thenCombineAsync(one, Merged::with, executor);
        }
        return merged.thenApplyAsync(all -> all.of(chain.quorum()), executor);
    }

    private record Merged(int answered, Map<Hash256, Seen> locks) {
        Merged with(Optional<List<Seen>> seen) {
            if (seen.isEmpty()) {
                return this;
            }
            Map<Hash256, Seen> more = new LinkedHashMap<>(locks);
            seen.get().forEach(lock -> more.merge(lock.hashLock(), lock, Merged::earlier));
            return new Merged(answered + 1, more);
        }

        private static Seen earlier(Seen one, Seen other) {
            return one.block() <= other.block() ? one : other;
        }

        Collection<Seen> of(int quorum) {
            if (answered < quorum) {
                throw new IllegalStateException(answered + " of " + quorum + " endpoints show their events");
            }
            return locks.values();
        }
    }

    private static Optional<List<Seen>> heard(AccountEndpoint endpoint, List<Seen> seen, Throwable failure) {
        if (failure != null) {
            LOG.info("account-chain endpoint {} shows no events: {}", endpoint.name(), failure.toString());
        }
        return Optional.ofNullable(seen);
    }

    private CompletionStage<List<Seen>> ofAll(AccountEndpoint endpoint, Range range, List<EvmAddress> senders) {
        CompletionStage<List<Seen>> all = CompletableFuture.completedFuture(List.of());
        for (EvmAddress sender : senders) {
            all = all.thenComposeAsync(
                    before -> endpoint.logs(query(range, sender)).thenApplyAsync(logs -> plus(before, logs), executor),
                    executor);
        }
        return all;
    }

    private LogQuery query(Range range, EvmAddress sender) {
        Hash256 topic = Hash256.of(org.bouncycastle.util.Arrays.concatenate(PADDING, sender.toArray()));
        return new LogQuery(
                contract,
                List.of(Optional.of(SwapContract.LOCKED_TOPIC), Optional.empty(), Optional.of(topic)),
                range.first(),
                range.last());
    }

    private static List<Seen> plus(List<Seen> before, List<AccountLog> logs) {
        List<Seen> more = new ArrayList<>(before);
        for (AccountLog log : logs) {
            SwapContract.Locked lock = SwapContract.locked(log.topics(), log.data());
            more.add(new Seen(lock.hashLock(), lock.sender(), log.blockNumber()));
        }
        return more;
    }
}
