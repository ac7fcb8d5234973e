package org.chainwalletd.rpc.method;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.coins.LedgerReads;
import org.chainwalletd.coins.WatchOnly;
import org.chainwalletd.config.Settings.EvmWords;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.quote.Quotes;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.swap.engine.SwapService;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.uri.PaymentUriCodec;
import org.chainwalletd.wait.Waits;

/**
 * Services that the methods use, and the list of all method families.
 *
 * @param executor converts answers to results; any pool of the daemon
 */
public record MethodFamilies(
        ChainProfile profile,
        String version,
        Keys keys,
        Chain chain,
        Money money,
        Swapping swapping,
        InstantSource clock,
        Executor executor) {

    /** Keyring, and the guards against deleting keys. */
    public record Keys(Keyring keyring, DeletionGuard deletion, EvmKeyGuard evmDeletion) {}

    /** Services that read the chain. */
    public record Chain(
            Nodes nodes,
            Follower follower,
            CoinLedger ledger,
            Waits waits,
            CreditFeed credits,
            WatchOnly watchOnly,
            IndexerMethods indexed) {}

    /** Services that spend money. */
    public record Money(SpendService spending, HtlcMethods htlcs, PayoutMethods payouts, SweepMethods sweeps) {}

    /** Account chain and swaps, as far as they are configured. */
    public record Swapping(
            Optional<Pool> pool,
            Optional<AccountMethods.Services> account,
            Optional<SwapService> swaps,
            EvmWords words) {
        static final Swapping NONE =
                new Swapping(Optional.empty(), Optional.empty(), Optional.empty(), EvmWords.DEFAULT);
    }

    /** Creates families whose methods are only described, or need no service when called. */
    public static MethodFamilies withoutServices(ChainProfile profile, String version) {
        Nodes none = new Nodes(null, null, null, List.of());
        Executor executor = Runnable::run;
        IndexerMethods indexed = new IndexerMethods(
                profile, Optional.empty(), IndexerClient.AddressHistory.NONE, null, none.client(), executor);
        return new MethodFamilies(
                profile,
                version,
                new Keys(null, null, null),
                new Chain(none, null, null, null, null, null, indexed),
                new Money(
                        null,
                        new HtlcMethods(null, null, null, () -> null, executor),
                        new PayoutMethods(null, List::of, List.of(), executor),
                        new SweepMethods(null, List::of, executor)),
                Swapping.NONE,
                InstantSource.system(),
                executor);
    }

    /** Returns the registry of all callable methods, including the one that describes the others. */
    public MethodRegistry registry() {
        Keyring keyring = keys.keyring();
        SwapWords words = SwapWords.of(profile, swapping.words());
        ReadMethods reads = new ReadMethods(
                profile,
                version,
                chain.nodes(),
                coins(),
                new ReadMethods.Addresses(
                        () -> keyring.list(), () -> chain.watchOnly().list()),
                () -> chain.ledger().figures(),
                new ReadMethods.InFlight(
                        () -> money.spending().inFlightUtxos(),
                        () -> money.spending().inFlightTransfers()),
                clock,
                executor);
        OwnPaymentMethods ownPayments = new OwnPaymentMethods(
                () -> money.spending().history(),
                sought -> chain.ledger().heights(sought),
                () -> chain.follower().height(),
                executor);
        FollowMethods following = new FollowMethods(
                chain.follower(),
                () -> chain.nodes().chain().complaint(),
                money.htlcs().count(),
                clock,
                executor);
        List<RpcMethod<?, ?>> methods = Stream.of(
                        reads.all(),
                        new KeyringMethods(keyring, chain.ledger(), chain.watchOnly(), keys.deletion(), executor).all(),
                        new SpendMethods(money.spending(), executor).all(),
                        money.sweeps().all(),
                        money.payouts().all(),
                        ownPayments.all(),
                        following.all(),
                        new WaitMethods(chain.waits(), chain.credits(), creditOwners(), executor).all(),
                        new EvmKeyMethods(keyring, keys.evmDeletion(), executor).all(),
                        new AccountMethods(swapping.account(), executor).all(),
                        SwapMethods.all(swapping.swaps(), () -> chain.follower().unverified(), words, executor),
                        PoolMethods.all(swapping.pool(), words, executor),
                        new QuoteMethods(profile, quotes()).all(),
                        new UriMethods(new PaymentUriCodec(profile)).all(),
                        new MessageMethods(new TextMessages(profile, keyring, executor), executor).all(),
                        money.htlcs().all(),
                        chain.indexed().all())
                .flatMap(List::stream)
                .toList();
        return MethodRegistry.withDiscovery(withBranded(methods, swapping.words()), version);
    }

    /** Adds each method whose name contains the default word for the account chain under the brand's name as well (decisions.md, section 1). */
    private static List<RpcMethod<?, ?>> withBranded(List<RpcMethod<?, ?>> methods, EvmWords words) {
        List<RpcMethod<?, ?>> all = new ArrayList<>(methods);
        for (RpcMethod<?, ?> method : methods) {
            String name = branded(method.name(), words.brand());
            if (!name.equals(method.name())) {
                all.add(method.named(name));
            }
        }
        return all;
    }

    private static String branded(String name, String brand) {
        String word = EvmWords.DEFAULT.brand();
        if (name.startsWith(word + "_")) {
            return brand + name.substring(word.length());
        }
        return name.replace("_" + word + "_", "_" + brand + "_");
    }

    private WaitMethods.CreditOwners creditOwners() {
        return new WaitMethods.CreditOwners(
                address -> keys.keyring().find(address).thenApplyAsync(Optional::isPresent, executor),
                address -> chain.watchOnly().has(address),
                () -> chain.nodes().coinbaseMaturity(),
                () -> chain.follower().unverified().isEmpty());
    }

    private Quotes quotes() {
        return new Quotes(profile, keys.keyring(), chain.nodes().chain(), clock, new SecureRandom(), executor);
    }

    /** Client for queries about the coins of an address, answered from the daemon's own books where these are complete. */
    private NodeClient coins() {
        return new LedgerReads(chain.nodes().client(), chain.ledger(), executor);
    }
}
