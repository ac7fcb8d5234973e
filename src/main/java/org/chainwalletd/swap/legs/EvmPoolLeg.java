package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.AccountReads.AccountLog;
import org.chainwalletd.account.endpoints.AccountReads.LogQuery;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Bytes;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool's lock in the contract, in a sell, and our claim of it. The claim's call data is the secret: no endpoint sees it in an estimate or a
 * trial call, its gas is fixed, and it leaves first when the {@link SellGate} is open.
 *
 * @param limits whose pinned code the contract must have before a lock and before the secret leaves
 * @param relay used for claims that our own gas does not pay; empty: such a swap is not begun
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

    /** A claim that was ever journalled may have been seen by anybody. */
    @Override
    public View look(SwapRow row) {
        ContractSlot slot = ContractSlot.look(chain, row.terms());
        SwapSends.Made made = ours().of(row);
        boolean isClaimed = slot.latest().state() == SwapContract.State.CLAIMED;
        return new View(
                slot.poolLock(row.terms(), row.ownLock(), claimedBy(row, made, isClaimed)),
                isClaimed || made.newest(SendKind.CLAIM).isPresent());
    }

    /** Claim by any sender: anybody may send one once the secret is out, and ours fails then. Looked for once, when the lock is first seen claimed. */
    private String claimedBy(SwapRow row, SwapSends.Made made, boolean isClaimed) {
        if (row.poolLock() instanceof PoolLock.Claimed claimed) {
            return claimed.tx();
        }
        String tx = isClaimed ? new ClaimSearch(chain).transaction(row.terms()) : "";
        return isClaimed && tx.isEmpty() ? made.id(SendKind.CLAIM) : tx;
    }

    /**
     * Nothing may stand under our hash lock before our own lock has left: the pool could not have known it from us. From then on a quick pool
     * may answer what no block has yet.
     */
    @Override
    public Optional<String> obstacle(SwapRow row) {
        return obstacles()
                .find(
                        row,
                        slot -> row.acts().locking() && ContractSlot.paysUs(row.terms(), slot),
                        relay.isPresent() ? Optional.empty() : Optional.of(funds -> BigInteger.ZERO));
    }

    /** Endpoints that are silent or differ are a reason to wait, and are named. */
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

    /** Verdict when sending from the account is stopped, whether it has gas or not: nothing is sent until the operator has intervened. */
    private static Optional<GateVerdict> stopped(AccountFunds funds) {
        return funds.obstacle().map(why -> GateVerdict.closed(why.message()));
    }

    /** A secret that counts as shown while its claim cannot leave would leave later, whatever the clocks say by then. */
    private static Optional<GateVerdict> unpayable(AccountFunds funds) {
        BigInteger left = funds.leftForClaim();
        return left.compareTo(funds.perTransaction()) < 0
                ? Optional.of(GateVerdict.closed("the account has " + left.max(BigInteger.ZERO)
                        + " wei for gas; a claim needs " + funds.perTransaction()))
                : Optional.empty();
    }

    /** A request to the pool is journalled by the row: before that only a claim of our own may leave. */
    @Override
    public String pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        if (relay.isPresent() && row.acts().claimJournalled() && isUnpayable(row)) {
            await(sends.permitClaim());
            return relay.get().claim(row, secret);
        }
        Bytes call = secret.use(SwapContract::claim);
        OptionalLong end = row.poolLock() instanceof PoolLock.Locked locked ? locked.end() : OptionalLong.empty();
        return ours().send(row, SendKind.CLAIM, end, attempt -> claim(row, call, attempt, mayBegin));
    }

    /** A claim of our own that was ever journalled is paid for. Where the quorum is away ours goes out all the same. */
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

    private static SendRequest claim(SwapRow row, Bytes call, int attempt, BooleanSupplier mayBegin) {
        SwapTerms terms = row.terms();
        return new SendRequest(
                SwapSends.reference(row, SendKind.CLAIM, attempt),
                SendKind.CLAIM,
                terms.ours().evm(),
                terms.account().contract(),
                SendValue.exactly(BigInteger.ZERO),
                call,
                new Gas.Fixed(SwapSends.gas(attempt)),
                Optional.of(terms.received().units()),
                Pushing.URGENTLY,
                Optional.of(row.id()),
                mayBegin);
    }

    /**
     * Lets the pool send our claim of its own lock ({@code --swap-allow-relay}), which is used only without gas for a claim of our own. It shows
     * the secret to the one who gains by keeping it: the pool is trusted with the whole amount, so it comes after the gate, and after a row that
     * says that a claim is journalled: nothing else tells of the request.
     */
    public record Relay(Pool pool, InstantSource clock, Consumer<SwapAlarm> alarms) {
        /** A claim that an honest pool has sent is on the chain by then. */
        private static final long PATIENCE_SECONDS = 120;

        /**
         * Asks for it, or asks again.
         *
         * @param row whose pool's lock is not claimed yet, and whose claim is journalled
         * @return the id of the transaction that the pool says it has sent
         */
        private String claim(SwapRow row, SecretBytes secret) {
            long waited = clock.instant().getEpochSecond() - row.updatedAt();
            if (waited >= PATIENCE_SECONDS) {
                alarms.accept(SwapAlarm.of(
                        SwapAlarm.Kind.RELAY_SILENT,
                        row,
                        "the pool has had the secret for " + waited
                                + " s and no claim is on the account chain: send gas to "
                                + row.terms().ours().evm() + ", and the claim leaves by itself"));
            }
            return "0x" + await(pool.relayClaim(row.poolSwapId(), secret)).hex();
        }
    }

    /**
     * Asks every endpoint of the account chain about one hash lock, for the {@link SellGate}. All are asked at the same final block, by its hash,
     * so that their answers can be compared; an endpoint that does not have that block, or fails at any question, has said nothing.
     */
    public record ContractEvidence(AccountChain chain, EvmAddress contract) {
        private static final Logger LOG = LoggerFactory.getLogger(ContractEvidence.class);
        /** Number of questions for events in one look. They reach back for as long as a lock may last, where a block takes two seconds. */
        private static final int MOST_WINDOWS = 24;
        /** Tolerance, in seconds, by which a lock's block may be older than the quote that it is for. */
        private static final long CLOCK_SLACK_SECONDS = 900;

        /**
         * Asks each endpoint and keeps those that answer in full, and in time once a quorum has said the same. Fails when no final block is agreed on. Blocks.
         *
         * @param quotedAt Unix seconds; nobody knew the hash lock before
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
                LOG.info("an account-chain endpoint says nothing of a lock: {}", AccountException.words(e));
                throw e;
            }
        }

        /** The newest slot is read at the very block whose time is told. */
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
         * Time of the newest block up to the settled one in which the slot was locked. Read from the newest backwards, as many blocks as one question
         * may ask for at a time: after a downtime a lock that came early enough is long buried. One that is in no block since the quote counts as
         * never: too late. Blocks that cannot be read, or are too many, tell nothing.
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
