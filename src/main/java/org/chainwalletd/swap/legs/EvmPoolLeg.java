package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.AccountReads.AccountLog;
import org.chainwalletd.account.endpoints.AccountReads.LogQuery;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.SellGate;
import org.chainwalletd.swap.gates.SellGate.EndpointView;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.Pool.PoolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool's lock in the contract, in a sell, and our claim of it. The claim's call data contains the secret, so no endpoint gets it in a gas
 * estimate or a trial call, its gas is fixed, and it is first sent when the {@link SellGate} is open.
 *
 * @param limits with the pinned code that the contract must have before a lock and before the secret is revealed
 * @param relay used for claims that our own gas cannot pay for; if empty, such a swap is not begun
 */
public record EvmPoolLeg(AccountChain chain, AccountSends sends, SwapLimits limits, Optional<Relay> relay)
        implements PoolLeg {
    public EvmPoolLeg {
        chain = chain.pressing();
    }

    private SwapSends ours() {
        return new SwapSends(sends);
    }

    private EvmObstacles obstacles() {
        return new EvmObstacles(chain, sends, limits.contract().codeHash());
    }

    /** Observes the pool's lock; the secret counts as shown as soon as a claim was journalled, because anybody may have seen it. */
    @Override
    public View look(SwapRow row) {
        ContractSlot slot = ContractSlot.look(chain, row.terms());
        SwapSends.Made made = ours().of(row);
        boolean isClaimed = slot.latest().state() == SwapContract.State.CLAIMED;
        return new View(
                slot.poolLock(row.terms(), row.ownLock(), claimedBy(row, made, isClaimed)),
                isClaimed || made.newest(SendKind.CLAIM).isPresent());
    }

    /**
     * Returns the claim's transaction, of any sender: once the secret is public anybody may claim, and ours then fails. Searched only once, when
     * first claimed.
     */
    private String claimedBy(SwapRow row, SwapSends.Made made, boolean isClaimed) {
        if (row.poolLock() instanceof PoolLock.Claimed claimed) {
            return claimed.tx();
        }
        String tx = isClaimed ? new ClaimSearch(chain).transaction(row.terms()) : "";
        return isClaimed && tx.isEmpty() ? made.id(SendKind.CLAIM) : tx;
    }

    /**
     * Rejects any lock under our hash lock before our own lock may have been sent, because an honest pool locks only after us. From then on, a lock
     * that pays us is expected, even while no block has ours: a fast pool may have seen ours in a mempool.
     */
    @Override
    public Optional<String> obstacle(SwapRow row) {
        return obstacles()
                .find(
                        row,
                        slot -> row.acts().locking() && ContractSlot.paysUs(row.terms(), slot),
                        relay.isPresent() ? Optional.empty() : Optional.of(funds -> BigInteger.ZERO));
    }

    /** Evaluates the gate. Silent or disagreeing endpoints close it for now and are named in the reason. */
    @Override
    public GateVerdict gate(SwapRow row, GateInputs now) {
        try {
            return obstacles().contract(row.terms()).map(GateVerdict::noLock).orElseGet(() -> judge(row, now));
        } catch (AccountException e) {
            return GateVerdict.closed(e.getMessage());
        }
    }

    private GateVerdict judge(SwapRow row, GateInputs now) {
        SwapTerms terms = row.terms();
        CompletionStage<Boolean> somethingWaits = sends.makeWay(terms.ours().evm());
        List<EndpointView> views =
                new ContractEvidence(chain, terms.account().contract()).look(terms.hashLock(), row.createdAt());
        AccountFunds funds = sends.funds(terms.ours().evm(), row.id());
        SellGate.Evidence evidence = new SellGate.Evidence(views, await(somethingWaits), now);
        return stopped(funds)
                .or(() -> unpayable(funds).filter(closed -> relay.isEmpty()))
                .orElseGet(() -> way(funds, new SellGate(limits).judge(terms, evidence)));
    }

    private static GateVerdict way(AccountFunds funds, GateVerdict verdict) {
        return verdict.isOpen() && unpayable(funds).isPresent() ? GateVerdict.OPEN_BY_RELAY : verdict;
    }

    /** Returns the verdict when sending from the account is stopped, regardless of gas: nothing is sent until the operator has intervened. */
    private static Optional<GateVerdict> stopped(AccountFunds funds) {
        return funds.obstacle().map(why -> GateVerdict.closed(why.message()));
    }

    /**
     * Closes the gate when gas for the claim is missing: a claim journalled now would be sent only later, when the deadlines may no longer allow
     * it.
     */
    private static Optional<GateVerdict> unpayable(AccountFunds funds) {
        BigInteger left = funds.leftForClaim();
        return left.compareTo(funds.perTransaction()) < 0
                ? Optional.of(GateVerdict.closed("the account has " + left.max(BigInteger.ZERO)
                        + " wei for gas; a claim needs " + funds.perTransaction()))
                : Optional.empty();
    }

    /**
     * Pushes the claim by relay or by our own transaction. A request to the pool is journalled by the row; before that, only a claim of our own may
     * be sent.
     */
    @Override
    public String pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        if (relay.isPresent() && row.acts().claimJournalled() && isUnpayable(row)) {
            await(sends.permitClaim());
            return relay.get().claim(row, secret);
        }
        SwapTerms terms = row.terms();
        return ours().send(
                        row,
                        new SwapSends.Redeem(
                                SendKind.CLAIM,
                                terms.ours().evm(),
                                terms.account().contract(),
                                secret.use(SwapContract::claim),
                                terms.received().units(),
                                row.poolLock() instanceof PoolLock.Locked locked ? locked.end() : OptionalLong.empty()),
                        mayBegin);
    }

    /**
     * Tests whether gas for a claim is missing. Gas of a claim that was ever journalled is reserved. Without a quorum our own claim is sent all the
     * same.
     */
    private boolean isUnpayable(SwapRow row) {
        try {
            return ours().of(row)
                            .newest(SendKind.CLAIM)
                            .filter(claim -> !SwapSends.hasFailed(claim))
                            .isEmpty()
                    && unpayable(sends.pressingFunds(row.terms().ours().evm())).isPresent();
        } catch (RuntimeException e) {
            return false;
        }
    }

    /**
     * Lets the pool send our claim of its own lock ({@code --swap-allow-relay}), used only when we lack gas for a claim of our own. The request
     * reveals the secret to the party that profits from withholding the claim, so the pool is trusted with the whole amount. It is therefore made
     * only after the gate has opened and after the row records a journalled claim, which is the only record of the request.
     */
    public record Relay(Pool pool, InstantSource clock, Consumer<SwapAlarm> alarms) {
        /** Seconds after which a claim sent by an honest pool is on the chain. */
        private static final long CLAIM_SECONDS = 120;

        /**
         * Requests the claim, or repeats the request.
         *
         * @param row with an unclaimed lock of the pool and a journalled claim
         * @return id of the transaction that the pool claims to have sent; the one that the row already names, since a new one in each round would
         * change the row and so put off the alarm
         */
        private String claim(SwapRow row, SecretBytes secret) {
            long waited = clock.instant().getEpochSecond() - row.updatedAt();
            if (waited >= CLAIM_SECONDS) {
                alarms.accept(SwapAlarm.of(
                        SwapAlarm.Kind.RELAY_SILENT,
                        row,
                        "the pool has had the secret for " + waited
                                + " s and no claim is on the account chain: send gas to "
                                + row.terms().ours().evm() + ", and the claim leaves by itself"));
            }
            Hash256 named = await(pool.relayClaim(row.poolSwapId(), secret));
            if (secret.use(bytes -> Arrays.equals(bytes, named.toArray()))) {
                throw new PoolException.BadAnswer("its txhash");
            }
            return row.acts().claimTx().orElse("0x" + named.hex());
        }
    }

    /**
     * Queries every endpoint of the account chain about one hash lock, for the {@link SellGate}. All are queried at the same final block, by its
     * hash, so that their answers are comparable; an endpoint that lacks that block or fails at any query does not count.
     */
    public record ContractEvidence(AccountChain chain, EvmAddress contract) {
        private static final Logger LOG = LoggerFactory.getLogger(ContractEvidence.class);
        /**
         * Maximum number of event queries in one observation. They reach back for the longest duration of a lock, at a block time of two seconds.
         */
        private static final int MOST_WINDOWS = 24;
        /** Tolerance, in seconds, by which a lock's block may be older than its quote. */
        private static final long CLOCK_SLACK_SECONDS = 900;

        /**
         * Queries the endpoints and returns the views of those that answer completely; waits for slow ones only until a quorum agrees. Fails when
         * no final block is agreed on. Blocks.
         *
         * @param quotedAt Unix seconds; the hash lock was unknown to others before
         */
        public List<EndpointView> look(Hash256 hashLock, long quotedAt) {
            Optional<AccountBlock> settled = await(chain.finalBlock());
            return settled.isEmpty()
                    ? List.of()
                    : await(chain.eachInTime(
                                    reads -> logged(reads, hashLock, settled.get(), quotedAt), EndpointView::common))
                            .stream()
                            .map(AccountChain.EndpointAnswer::answer)
                            .toList();
        }

        private EndpointView logged(AccountReads reads, Hash256 hashLock, AccountBlock settled, long quotedAt) {
            try {
                return view(reads, hashLock, settled, quotedAt);
            } catch (RuntimeException e) {
                LOG.info("an account-chain endpoint does not report a lock: {}", AccountException.words(e));
                throw e;
            }
        }

        /** Reads one endpoint's view. The latest slot is read at the block whose time is returned with it. */
        private EndpointView view(AccountReads reads, Hash256 hashLock, AccountBlock settled, long quotedAt) {
            BlockRef at = BlockRef.hash(settled.hash());
            AccountBlock newest =
                    reads.block(BlockRef.Tag.LATEST).orElseThrow(() -> new IllegalStateException("it has no blocks"));
            SwapContract.Swap slot = reads.swap(contract, hashLock, at);
            SwapContract.Swap latest = reads.swap(contract, hashLock, BlockRef.hash(newest.hash()));
            EndpointView.CommonView common = new EndpointView.CommonView(
                    reads.chainId(),
                    settled.hash(),
                    settled.number(),
                    Hash256.of(Keccak256.of(reads.code(contract, at).toArray())),
                    slot,
                    slot.state() == SwapContract.State.LOCKED
                            ? lockedAt(reads, hashLock, settled, quotedAt - CLOCK_SLACK_SECONDS)
                            : EndpointView.NEVER);
            return new EndpointView(common, latest, newest.timestamp());
        }

        /**
         * Returns the time of the newest block, up to the settled one, in which the slot was locked. Searches backwards in windows of the maximum
         * query size, because after a downtime a lock made in time may be deep in the chain. Returns {@link EndpointView#NEVER}, which counts as
         * too late, if no block since the quote has the lock. Fails if blocks cannot be read or are too many.
         */
        private long lockedAt(AccountReads reads, Hash256 hashLock, AccountBlock settled, long since) {
            long last = settled.number();
            for (int window = 0; window < MOST_WINDOWS; window++) {
                long first = Math.max(0, last - LogQuery.MOST_BLOCKS + 1);
                List<AccountLog> logs = reads.logs(new LogQuery(
                        contract, List.of(Optional.of(SwapContract.LOCKED_TOPIC), Optional.of(hashLock)), first, last));
                if (!logs.isEmpty()) {
                    return time(reads, BlockRef.hash(logs.get(logs.size() - 1).blockHash()));
                }
                if (first == 0 || time(reads, BlockRef.number(first)) < since) {
                    return EndpointView.NEVER;
                }
                last = first - 1;
            }
            throw new IllegalStateException("the slot is locked, and the newest " + MOST_WINDOWS * LogQuery.MOST_BLOCKS
                    + " blocks do not show since when");
        }

        private static long time(AccountReads reads, BlockRef at) {
            return reads.block(at)
                    .map(AccountBlock::timestamp)
                    .orElseThrow(() -> new IllegalStateException("it does not show the block " + at));
        }
    }
}
