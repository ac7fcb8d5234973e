package org.chainwalletd.rpc.method;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.coins.LedgerReads;
import org.chainwalletd.config.Settings.EvmWords;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.quote.Quotes;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.method.follow.FollowMethods;
import org.chainwalletd.rpc.method.htlc.HtlcMethods;
import org.chainwalletd.rpc.method.indexer.IndexerMethods;
import org.chainwalletd.rpc.method.keyring.KeyringMethods;
import org.chainwalletd.rpc.method.keyring.NewKeys;
import org.chainwalletd.rpc.method.message.MessageMethods;
import org.chainwalletd.rpc.method.quote.QuoteMethods;
import org.chainwalletd.rpc.method.read.InFlight;
import org.chainwalletd.rpc.method.read.ReadMethods;
import org.chainwalletd.rpc.method.spend.SpendMethods;
import org.chainwalletd.rpc.method.swap.AccountMethods;
import org.chainwalletd.rpc.method.swap.BrandedMethod;
import org.chainwalletd.rpc.method.swap.EvmKeyMethods;
import org.chainwalletd.rpc.method.swap.PoolMethods;
import org.chainwalletd.rpc.method.swap.SwapMethods;
import org.chainwalletd.rpc.method.swap.SwapWords;
import org.chainwalletd.rpc.method.uri.UriMethods;
import org.chainwalletd.rpc.method.wait.CreditOwners;
import org.chainwalletd.rpc.method.wait.WaitMethods;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.swap.SwapService;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.uri.PaymentUriCodec;
import org.chainwalletd.wait.Waits;

/** The services that methods talk to, and the one list of the families of methods over them. */
public record MethodFamilies(
        ChainProfile chain,
        String version,
        Nodes nodes,
        InFlight inFlight,
        Keyring keyring,
        DeletionGuard deletionGuard,
        EvmKeyGuard evmKeyGuard,
        SpendService spending,
        HtlcMethods.Services htlcs,
        Follower follower,
        CoinLedger ledger,
        IndexerMethods.Sources indexed,
        Waits waits,
        CreditFeed credits,
        Optional<Pool> pool,
        Optional<AccountMethods.Services> account,
        Optional<SwapService> swaps,
        EvmWords evmWords,
        Executor executor) {

    /** For methods that are only described, or that need no service when they are called. */
    public static MethodFamilies withoutServices(ChainProfile chain, String version) {
        Nodes none = new Nodes(null, null, null, List.of());
        return new MethodFamilies(
                chain,
                version,
                none,
                null,
                null,
                null,
                null,
                null,
                HtlcMethods.Services.NONE,
                null,
                null,
                IndexerMethods.Sources.NONE,
                null,
                null,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                EvmWords.DEFAULT,
                Runnable::run);
    }

    /** Every method that can be called, the one that describes the others included. */
    public MethodRegistry registry() {
        List<RpcMethod<?, ?>> methods = new ArrayList<>();
        methods.addAll(ReadMethods.all(chain, version, nodes, coins(), () -> keyring.list(), inFlight, executor));
        methods.addAll(KeyringMethods.all(keyring, new NewKeys(keyring, ledger, executor), deletionGuard, executor));
        methods.addAll(SpendMethods.all(spending, executor));
        methods.addAll(FollowMethods.all(follower, htlcs.count(), executor));
        methods.addAll(WaitMethods.all(waits, credits, creditOwners(), executor));
        methods.addAll(EvmKeyMethods.all(keyring, evmKeyGuard, executor));
        methods.addAll(AccountMethods.all(account, executor));
        methods.addAll(SwapMethods.all(swaps, SwapWords.of(chain, evmWords), executor));
        methods.addAll(PoolMethods.all(pool, SwapWords.of(chain, evmWords), executor));
        methods.addAll(QuoteMethods.all(chain, quotes(), executor));
        methods.addAll(UriMethods.all(new PaymentUriCodec(chain)));
        methods.addAll(MessageMethods.all(new TextMessages(chain, keyring, executor), executor));
        methods.addAll(HtlcMethods.all(htlcs, executor));
        methods.addAll(IndexerMethods.all(chain, indexed, nodes.client(), executor));
        return MethodRegistry.withDiscovery(BrandedMethod.beside(methods, evmWords), version);
    }

    private CreditOwners creditOwners() {
        return new CreditOwners() {
            @Override
            public CompletionStage<Boolean> owns(Address address) {
                return keyring.find(address).thenApplyAsync(Optional::isPresent, executor);
            }

            @Override
            public int maturity() {
                return nodes.coinbaseMaturity();
            }
        };
    }

    private Quotes quotes() {
        return new Quotes(chain, keyring, nodes.chain(), InstantSource.system(), new SecureRandom(), executor);
    }

    /** Whoever asks for coins of an address hears them from the daemon's own books where these are complete. */
    private NodeClient coins() {
        return new LedgerReads(nodes.client(), ledger, executor);
    }
}
