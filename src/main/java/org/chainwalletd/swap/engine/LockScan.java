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
 * Reads the events of locks that addresses of ours have sent to the contract. Each endpoint may leave some out or invent some: what any of
 * them shows counts, and is checked against the contract by whoever acts on it.
 */
public record LockScan(AccountChain chain, EvmAddress contract) {
    private static final Logger LOG = LoggerFactory.getLogger(LockScan.class);
    private static final byte[] PADDING = new byte[Hash256.LENGTH - EvmAddress.LENGTH];

    /**
     * An event of a lock.
     *
     * @param block that has it
     */
    record Seen(Hash256 hashLock, EvmAddress sender, long block) {
        private static Seen of(AccountLog log) {
            SwapContract.Locked lock = SwapContract.locked(log.topics(), log.data());
            return new Seen(lock.hashLock(), lock.sender(), log.blockNumber());
        }
    }

    /** Whether a lock without a row has to be looked at again. */
    enum Fate {
        OPEN,
        /** Open, and more can be read about it at once. */
        READING,
        /** Ended for good, never there, or looked after by somebody else. */
        OVER
    }

    /** @param last block that was read; at most {@link LogQuery#MOST_BLOCKS} from the first */
    record Range(long first, long last) {
        static Range of(long first, long end) {
            return new Range(first, Math.min(end, Math.addExact(first, LogQuery.MOST_BLOCKS - 1)));
        }
    }

    /**
     * Reads the locks that all endpoints together show, each once; fails unless a quorum of them has answered for each sender. Blocks.
     */
    Collection<Seen> read(Range range, List<EvmAddress> senders) {
        Map<Hash256, Seen> locks = new LinkedHashMap<>();
        for (EvmAddress sender : senders) {
            List<EndpointAnswer<List<Seen>>> told = await(chain.each(reads -> locks(reads, query(range, sender))));
            if (told.size() < chain.quorum()) {
                throw new IllegalStateException(told.size() + " of " + chain.quorum() + " endpoints show their events");
            }
            told.stream()
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
            LOG.info("an account-chain endpoint shows no events: {}", AccountException.words(e));
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
