package org.chainwalletd.swap.engine;

import static org.chainwalletd.stage.Blocking.await;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.EndpointAnswer;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountLog;
import org.chainwalletd.account.endpoints.AccountReads.LogQuery;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the contract's events for locks that our addresses have sent. An endpoint may omit or invent events, so the union of all endpoints' events
 * is used, and the code that acts on an event checks it against the contract first.
 */
public record LockScan(AccountChain chain, EvmAddress contract) {
    private static final Logger LOG = LoggerFactory.getLogger(LockScan.class);
    private static final byte[] PADDING = new byte[Hash256.LENGTH - EvmAddress.LENGTH];

    /**
     * Event of a lock.
     *
     * @param block number of the block that contains it
     */
    record Seen(Hash256 hashLock, EvmAddress sender, long block) {
        private static Seen of(AccountLog log) {
            SwapContract.Locked lock = SwapContract.locked(log.topics(), log.data());
            return new Seen(lock.hashLock(), lock.sender(), log.blockNumber());
        }
    }

    /** State of a lock without a row: whether it has to be examined again. */
    enum Fate {
        OPEN,
        /** Open, and more blocks can be read for it immediately. */
        READING,
        /** Finally ended, never existed, or has a row that is watched or was since it was found. */
        OVER
    }

    /** @param last last block read; at most {@link LogQuery#MOST_BLOCKS} blocks in all */
    record Range(long first, long last) {
        static Range of(long first, long end) {
            return new Range(first, Math.min(end, Math.addExact(first, LogQuery.MOST_BLOCKS - 1)));
        }
    }

    /**
     * Returns the union of the locks that the endpoints report, each once. Fails unless a quorum of the endpoints has answered for each sender.
     * Blocks.
     */
    Collection<Seen> read(Range range, List<EvmAddress> senders) {
        Map<Hash256, Seen> locks = new LinkedHashMap<>();
        for (EvmAddress sender : senders) {
            List<EndpointAnswer<List<Seen>>> answers = await(chain.each(reads -> locks(reads, query(range, sender))));
            if (answers.size() < chain.quorum()) {
                throw new IllegalStateException(
                        answers.size() + " of " + chain.quorum() + " endpoints return their events");
            }
            answers.stream()
                    .flatMap(one -> one.answer().stream())
                    .forEach(lock -> locks.merge(lock.hashLock(), lock, LockScan::earlier));
        }
        return locks.values();
    }

    private static Seen earlier(Seen one, Seen other) {
        return one.block() <= other.block() ? one : other;
    }

    private static List<Seen> locks(AccountReads reads, LogQuery query) {
        try {
            return reads.logs(query).stream().map(Seen::of).toList();
        } catch (RuntimeException e) {
            LOG.info("an account-chain endpoint returns no events: {}", AccountException.words(e));
            throw e;
        }
    }

    private LogQuery query(Range range, EvmAddress sender) {
        Hash256 topic = Hash256.of(org.bouncycastle.util.Arrays.concatenate(PADDING, sender.toArray()));
        return new LogQuery(
                contract,
                List.of(Optional.of(SwapContract.LOCKED_TOPIC), Optional.empty(), Optional.of(topic)),
                range.first(),
                range.last());
    }
}
