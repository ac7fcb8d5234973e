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
 * Looks for the secrets of claimed locks in direct claims. The contract leaves no event of a claim, so whole blocks are read, from that of the
 * lock to a final one by which it was claimed. Each endpoint is read by itself, and a secret that any of them shows counts, since it either has
 * the hash or it has not: one that hides the claim, or a block, keeps nobody from finding it at another. Remembers how far each was read. For one
 * caller at a time.
 */
final class SecretSearch {
    private static final Logger LOG = LoggerFactory.getLogger(SecretSearch.class);
    /** Blocks of one question to an endpoint. */
    private static final int AT_ONCE = 100;
    /** Locks that endpoints are asked about in one round: silent endpoints delay what else is looked after by as many time-outs. */
    private static final int MOST_IN_ROUND = 4;

    private final AccountChain chain;
    private final EvmAddress contract;
    private final Map<Hash256, ClaimedLock> locks = new HashMap<>();
    /** Endpoints that are being read, each by one question at a time, however slow it is. */
    private final Set<AccountReads> busy = ConcurrentHashMap.newKeySet();

    private int asked;

    SecretSearch(AccountChain chain, EvmAddress contract) {
        this.chain = chain;
        this.contract = contract;
    }

    enum State {
        FOUND,
        /** Read further than before, and not to the end. */
        READING,
        /** Its turn comes in a later round. */
        WAITING,
        /** No endpoint shows more blocks than before. */
        STANDS_STILL,
        /** A quorum of the endpoints show all blocks, and no claim in them: it went through another contract. */
        NOT_THERE
    }

    /** Forgets all locks but those that are {@code open}. */
    void beginRound(Set<Hash256> open) {
        asked = 0;
        locks.keySet().retainAll(open);
    }

    /** @param at final block by which the lock was claimed; only the first one counts */
    void begin(LockScan.Seen lock, AccountBlock at) {
        if (locks.putIfAbsent(lock.hashLock(), new ClaimedLock(lock, at)) == null) {
            LOG.warn(
                    "hash lock {}: our lock in the contract, of which the journal knows nothing, was claimed; HTLCs that pay us for it are looked for",
                    lock.hashLock());
        }
    }

    /** Time of a block by which the lock was claimed, Unix seconds. */
    long claimedBy(Hash256 hashLock) {
        return locks.get(hashLock).at.timestamp();
    }

    Optional<Bytes> secret(Hash256 hashLock) {
        return Optional.ofNullable(locks.get(hashLock).secret);
    }

    /** Reads the next blocks of each endpoint. Blocks. */
    State goOn(Hash256 hashLock) {
        ClaimedLock lock = locks.get(hashLock);
        if (lock.state(chain.quorum()) == State.STANDS_STILL) {
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
        return state == State.STANDS_STILL && lock.hasAdvanced() ? State.READING : state;
    }

    /** Reads on, on a thread of the endpoint, up to a block that it does not show. It may be waited for no longer: what it reads counts later. */
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

    /** Progress for one lock. Endpoints are read on several threads. */
    private static final class ClaimedLock {
        private final LockScan.Seen lock;
        private final AccountBlock at;
        /** First block that was not read, of each endpoint. */
        private final Map<AccountReads, Long> places = new ConcurrentHashMap<>();

        private volatile Bytes secret;
        private long reached;

        private ClaimedLock(LockScan.Seen lock, AccountBlock at) {
            this.lock = lock;
            this.at = at;
        }

        private long next(AccountReads endpoint) {
            return places.getOrDefault(endpoint, lock.block());
        }

        private void read(AccountReads endpoint, long number, List<AccountTransaction> block) {
            for (AccountTransaction transaction : block) {
                SwapContract.claimed(transaction.input())
                        .filter(preimage -> Hash256.sha256(preimage).equals(lock.hashLock()))
                        .ifPresent(preimage -> secret = Bytes.wrap(preimage));
            }
            places.put(endpoint, number + 1);
        }

        private State state(int quorum) {
            if (secret != null) {
                return State.FOUND;
            }
            long whole =
                    places.values().stream().filter(next -> next > at.number()).count();
            return whole >= quorum ? State.NOT_THERE : State.STANDS_STILL;
        }

        /** Whether more was read than when this was asked before. */
        private boolean hasAdvanced() {
            long before = reached;
            reached = places.values().stream()
                    .mapToLong(next -> next - lock.block())
                    .sum();
            return reached > before;
        }
    }
}
