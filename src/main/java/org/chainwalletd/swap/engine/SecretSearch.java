package org.chainwalletd.swap.engine;

import static org.chainwalletd.stage.Blocking.await;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.AccountReads.AccountTransaction;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches direct claims for the secrets of claimed locks. The contract emits no event for a claim, so whole blocks are read, from the block of the
 * lock to a final block by which it was claimed. Each endpoint is read separately, and a secret found at any of them counts because its hash proves
 * it; an endpoint that hides the claim or a block therefore does not prevent finding it at another one. Remembers the progress per endpoint. For
 * one caller at a time.
 */
final class SecretSearch {
    private static final Logger LOG = LoggerFactory.getLogger(SecretSearch.class);
    /** Maximum number of blocks read from an endpoint for one lock in one round. */
    private static final int AT_ONCE = 100;
    /**
     * Maximum number of locks for which endpoints are queried in one round; each may delay the rest of the round by one time-out when endpoints are
     * silent.
     */
    private static final int MOST_IN_ROUND = 4;

    private final AccountChain chain;
    private final EvmAddress contract;
    private final Map<Hash256, ClaimedLock> locks = new HashMap<>();
    /** Endpoints that are being read. Each is read by one thread at a time, however slow it is. */
    private final Set<AccountReads> busy = ConcurrentHashMap.newKeySet();

    private int asked;

    SecretSearch(AccountChain chain, EvmAddress contract) {
        this.chain = chain;
        this.contract = contract;
    }

    enum State {
        FOUND,
        /** Blocks were read in this round, but not to the end. */
        READING,
        /** Deferred to a later round. */
        WAITING,
        /** No endpoint has returned blocks beyond those read before. */
        STALLED,
        /** A quorum of the endpoints returned all blocks, and none contains a claim: it went through another contract. */
        NOT_FOUND
    }

    /** Starts a round and forgets all locks except those in {@code open}. */
    void beginRound(Set<Hash256> open) {
        asked = 0;
        locks.keySet().retainAll(open);
    }

    /** @param at final block by which the lock was claimed; only the first call for a lock counts */
    void begin(LockScan.Seen lock, AccountBlock at) {
        if (locks.putIfAbsent(lock.hashLock(), new ClaimedLock(lock, at)) == null) {
            LOG.warn(
                    "hash lock {}: our lock in the contract, which has no row in the journal, was claimed; searching for HTLCs that pay us for it",
                    lock.hashLock());
        }
    }

    /** Returns the time of a block by which the lock was claimed, Unix seconds. */
    long claimedBy(Hash256 hashLock) {
        return locks.get(hashLock).at.timestamp();
    }

    Optional<Bytes> secret(Hash256 hashLock) {
        return Optional.ofNullable(locks.get(hashLock).secret);
    }

    /** Reads the next blocks of each endpoint. Blocks. */
    State readNext(Hash256 hashLock) {
        ClaimedLock lock = locks.get(hashLock);
        if (lock.state(chain.quorum()) == State.STALLED) {
            if (asked >= MOST_IN_ROUND) {
                return State.WAITING;
            }
            asked++;
            await(chain.eachInTime(
                    endpoint -> {
                        read(lock, endpoint);
                        return true;
                    },
                    any -> true));
        }
        State state = lock.state(chain.quorum());
        return state == State.STALLED && lock.hasAdvanced() ? State.READING : state;
    }

    /**
     * Reads the next blocks on a thread of the endpoint and stops at a block that it does not return. The caller may time out meanwhile; blocks
     * read after that still count in later rounds.
     */
    private void read(ClaimedLock lock, AccountReads endpoint) {
        if (!busy.add(endpoint)) {
            return;
        }
        try {
            long first = lock.next(endpoint);
            long last = Math.min(lock.at.number(), first + AT_ONCE - 1);
            for (long number = first; number <= last && lock.secret == null; number++) {
                Optional<List<AccountTransaction>> block = endpoint.transactionsTo(contract, BlockRef.number(number));
                if (block.isEmpty()) {
                    return;
                }
                lock.read(endpoint, number, block.get());
            }
        } finally {
            busy.remove(endpoint);
        }
    }

    /** Progress for one lock. Updated by one thread per endpoint. */
    private static final class ClaimedLock {
        private final LockScan.Seen lock;
        private final AccountBlock at;
        /** First unread block per endpoint. */
        private final Map<AccountReads, Long> nextBlocks = new ConcurrentHashMap<>();

        private volatile Bytes secret;
        private long reached;

        private ClaimedLock(LockScan.Seen lock, AccountBlock at) {
            this.lock = lock;
            this.at = at;
        }

        private long next(AccountReads endpoint) {
            return nextBlocks.getOrDefault(endpoint, lock.block());
        }

        private void read(AccountReads endpoint, long number, List<AccountTransaction> block) {
            for (AccountTransaction transaction : block) {
                SwapContract.claimed(transaction.input())
                        .filter(preimage -> Hash256.sha256(preimage).equals(lock.hashLock()))
                        .ifPresent(preimage -> secret = Bytes.wrap(preimage));
            }
            nextBlocks.put(endpoint, number + 1);
        }

        private State state(int quorum) {
            if (secret != null) {
                return State.FOUND;
            }
            long whole = nextBlocks.values().stream()
                    .filter(next -> next > at.number())
                    .count();
            return whole >= quorum ? State.NOT_FOUND : State.STALLED;
        }

        /** Tests whether more blocks were read since the last call. */
        private boolean hasAdvanced() {
            long before = reached;
            reached = nextBlocks.values().stream()
                    .mapToLong(next -> next - lock.block())
                    .sum();
            return reached > before;
        }
    }
}
