package org.chainwalletd.swap.legs;

import static org.chainwalletd.account.AccountRig.done;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.htlc.Sightings;
import org.chainwalletd.spend.SpendEnvironment;
import org.chainwalletd.spend.SpendEnvironment.Pace;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.SpendingBook;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.PlainKeys;

/**
 * The two legs on the chain, with all their dependencies, over real sockets to a development node that is reached through two proxies, each of
 * which a test can make return false data. Keys are kept; closing and starting again is a restart of the daemon over the same store.
 */
public final class ChainLegRig implements AutoCloseable {
    static final ChainProfile PROFILE = ChainProfile.of("chain");
    public static final long DEPTH = 3;
    public static final int BURIAL = 100;
    static final Amount AMOUNT = Amount.of(50_000_000);

    /** A few blocks after the development chain's first one. */
    public final ManualClock clock = new ManualClock(Instant.parse("2026-03-20T08:00:00Z"));

    public final Devnet chain;
    public final DistortingNode first;
    public final DistortingNode second;

    private final Path folder;
    private final PlainKeys keys = new PlainKeys(PROFILE);
    private final Set<Address> owned = ConcurrentHashMap.newKeySet();
    private AllowanceStore.Limits allowance =
            new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1));
    private FollowRig follow;
    private SqliteStore store;
    private int parties = 0x10;

    /** Owners of HTLCs as reported to the legs. */
    volatile HtlcOwners owners = HtlcOwners.NONE;

    public SpendService spending;
    public Sightings sightings;
    public HtlcSpends htlcs;
    public ChainOwnLeg own;
    ChainPoolLeg pool;

    public ChainLegRig(Path folder) {
        this.folder = folder;
        try {
            chain = Devnet.start(
                    DevnetConfig.onDemand(PROFILE).withFirstBlocks(10).withClock(clock));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        first = new DistortingNode(chain.uri());
        second = new DistortingNode(chain.uri());
        start();
    }

    private void start() {
        HtlcTable table = new HtlcTable(page -> owned::contains);
        HtlcBook book = new HtlcBook(PROFILE, table);
        SpendingTable spendings =
                new SpendingTable(page -> new SpendingTable.View(owned::contains, table.view(page)::has));
        follow = new FollowRig(folder, List.of(book, new SpendingBook(PROFILE, spendings)), first.url(), second.url());
        store = SqliteStore.open(folder);
        ChainParts parts = ChainParts.start(
                follow,
                book,
                chain,
                keys,
                new SpendEnvironment.Stores(store, store.intents(), Optional.empty()),
                allowance,
                new Pace(
                        Duration.ofMillis(20),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofMinutes(10),
                        Duration.ofDays(30),
                        Duration.ofMillis(5),
                        BURIAL),
                hashLock -> owners.of(hashLock),
                clock);
        spending = parts.spending();
        sightings = parts.sightings();
        htlcs = parts.htlcs();
        own = new ChainOwnLeg(parts.side(), limits(), Optional.empty());
        pool = new ChainPoolLeg(parts.side(), limits());
        followed();
    }

    public FollowRig follow() {
        return follow;
    }

    static SwapLimits limits() {
        return new SwapLimits(
                new SwapLimits.Contract(Sample.CHAIN_ID, Sample.CONTRACT, Sample.CODE),
                2,
                new Finality.Depth(1),
                OptionalLong.of(DEPTH),
                Sample.LONGEST,
                new SwapLimits.Span(5, 60),
                Sample.MOST_PRICE,
                false);
    }

    /** Lets the process die and another one take over. */
    public void restart() {
        stop();
        start();
    }

    /** Limits the amount of one payment from the next start on. */
    public void capPerPayment(Amount most) {
        allowance = new AllowanceStore.Limits(Optional.of(most), Optional.empty(), Duration.ofDays(1));
    }

    private void stop() {
        follow.close();
        store.close();
    }

    /** Returns a new key that is not the daemon's. */
    public Party stranger() {
        return new Party(++parties);
    }

    /** Returns a key of the daemon with one coin of each of these values. */
    public Party ours(long... values) {
        Party ours = stranger();
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) parties);
        keys.add(seed);
        owned.add(ours.address);
        for (long value : values) {
            chain.faucet(ours.address, Amount.of(value));
        }
        mine(1);
        return ours;
    }

    Outpoint coin(Party of) {
        return chain.ledger()
                .list(Bytes.wrap(of.address.toArray()), null, null, 1)
                .coins()
                .get(0)
                .outpoint();
    }

    /** Returns a sell that locks for {@code blocks} from now. */
    public SwapRow sell(Party ours, PublicKey pool, byte[] secret, long blocks) {
        return row(ours, secret, SwapTerms.Theirs.onTheChain(pool), chain.tip().height() + blocks);
    }

    /** Returns a buy of the same amount. */
    SwapRow buy(Party ours, byte[] secret) {
        return row(
                ours,
                secret,
                SwapTerms.Theirs.inTheContract(Sample.POOL_EVM),
                clock.instant().getEpochSecond() + 8_000);
    }

    private SwapRow row(Party ours, byte[] secret, SwapTerms.Theirs theirs, long timeout) {
        SwapTerms.Sum coins = new SwapTerms.Sum("0.5", AMOUNT.toBigInteger());
        SwapTerms.Sum wei = new SwapTerms.Sum("1", BigInteger.TEN.pow(18));
        boolean isSell = theirs.key().isPresent();
        SwapTerms terms = new SwapTerms(
                isSell ? Direction.CHAIN_TO_NATIVE : Direction.NATIVE_TO_CHAIN,
                Hash256.sha256(secret),
                isSell ? coins : wei,
                isSell ? wei : coins,
                new SwapTerms.AccountLeg(Sample.CHAIN_ID, Sample.CONTRACT),
                new SwapTerms.Ours(ours.address, ours.key, Sample.OUR_EVM),
                theirs,
                timeout,
                DEPTH,
                new SwapTerms.Offer(clock.instant().getEpochSecond() + 600, 30, Optional.empty()));
        return SwapRow.quoted(
                "swap-" + terms.hashLock().hex().substring(0, 8), "pool-1", "run-1", terms, Optional.empty(), 0);
    }

    /** Makes both nodes refuse every transaction with this error text. */
    void refuse(String words) {
        first.refuse("send_raw_transaction", params -> words);
        second.refuse("send_raw_transaction", params -> words);
    }

    void tellTheTruth() {
        first.tellTheTruth();
        second.tellTheTruth();
    }

    /** Returns a party's spend of an HTLC of {@link #AMOUNT} into an output of the same party. */
    Transaction redeemed(Outpoint lock, Party by, long fee, Function<byte[], Witness> witness) {
        Transaction unsigned = Transaction.unsigned(
                List.of(lock), List.of(TxOutput.toAddress(by.address, AMOUNT.minus(Amount.of(fee)))));
        return unsigned.withWitnesses(List.of(witness.apply(by.sign(chain.genesisId(), unsigned))));
    }

    Transaction claimed(Outpoint lock, Party by, long fee, byte[] preimage) {
        return redeemed(lock, by, fee, signature -> HtlcWitness.claim(preimage, signature));
    }

    /** Returns the fee of a transaction that spends an HTLC of {@link #AMOUNT}. */
    Amount feeOf(String txId) {
        return AMOUNT.minus(transaction(txId).outputs().get(0).value());
    }

    /** Makes an HTLC with the money of {@code payer}. */
    public Outpoint lock(Party payer, HtlcParams params, Amount amount) {
        return lock(payer, TxOutput.toScript(HtlcScript.build(params), amount));
    }

    public Outpoint lock(Party payer, TxOutput output) {
        chain.faucet(payer.address, output.value().plus(Amount.of(10_000)));
        chain.mine(1);
        Hash256 txId = chain.ledger().submit(payer.pay(chain.genesisId(), coin(payer), output));
        mine(1);
        return new Outpoint(txId, 0);
    }

    public void mine(int blocks) {
        for (int i = 0; i < blocks; i++) {
            clock.advance(Duration.ofSeconds(10));
            chain.mine(1);
        }
        followed();
    }

    public void mineTo(long height) {
        mine((int) (height - chain.tip().height()));
    }

    /** Clears the marks of checked work, as if the chain had been caught up with from this height on. */
    public void forgetWork(long from) {
        done(follow.books().write(session -> {
            session.head().update("UPDATE blocks SET work_checked = 0 WHERE height >= ?", from);
            return null;
        }));
    }

    public void followed() {
        follow.awaitTip(chain.tip().id());
    }

    public boolean isWaiting(String txId) {
        return chain.ledger()
                .transaction(Hash256.parse(txId))
                .filter(found -> found.blockId() == null)
                .isPresent();
    }

    public Transaction transaction(String txId) {
        return chain.ledger().transaction(Hash256.parse(txId)).orElseThrow().tx();
    }

    /** Makes a plain payment of the daemon, for comparison. */
    public String transfer(Party from, Address to, long amount) {
        return done(spending.transfer(new TransferRequest(
                        from.address,
                        List.of(new Payment(to, Amount.of(amount))),
                        FeeChoice.MINIMUM,
                        TransferRequest.DEFAULT_MAX_FEE,
                        Optional.empty(),
                        Optional.empty())))
                .txId()
                .toString();
    }

    public void awaitWaiting(String txId) {
        Await.until(txId + " waits in the mempool", () -> isWaiting(txId));
    }

    /** Waits until a payment may choose the coin. */
    public void awaitFree(Outpoint coin) {
        Await.until(
                coin + " is held by nothing",
                () -> done(store.reservations().all()).stream()
                        .noneMatch(held -> held.coin().outpoint().equals(coin)));
    }

    public static Hash256 idOf(Transaction tx) {
        return TransactionCodec.txId(PROFILE, tx);
    }

    public OwnLock ownLock(SwapRow row) {
        return own.look(row).lock();
    }

    PoolLock poolLock(SwapRow row) {
        return pool.look(row).lock();
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() {
        stop();
        second.close();
        first.close();
        chain.close();
    }
}
