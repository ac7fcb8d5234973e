package org.chainwalletd.rpc.method.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code get_wallet_balance}: the confirmed balances of the managed addresses and their sum. */
final class GetWalletBalanceMethod extends ReadMethod<GetWalletBalanceMethod.Params, GetWalletBalanceMethod.Result> {
    /** One wait for the nodes' quotas of a minute, and the work around it. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** More addresses than this cannot be asked for in that time, so that waiting would be in vain. */
    private static final int MOST_WORTH_WAITING = 2_000;

    public record Params(
            @Doc("Whether outputs are counted too; default true")
            Optional<Boolean> utxos,

            @Doc("Only these addresses; unknown ones are ignored. Default: all managed")
            Optional<List<Address>> addresses) {}

    public record Result(
            List<Entry> entries,
            @Doc("Sum over the entries") Amount total) {}

    /** WalletEntry (interface.md, section 2.2). */
    public record Entry(
            Address address,
            @U32 OptionalLong index,
            Optional<String> label,
            boolean imported,
            Amount balance,
            @U32 OptionalLong utxoCount,
            Optional<Boolean> truncated) {}

    private final NodeClient nodes;
    private final Supplier<List<KeyEntry>> keys;
    private final Executor executor;

    GetWalletBalanceMethod(NodeClient nodes, Supplier<List<KeyEntry>> keys, Executor executor) {
        super(
                "get_wallet_balance",
                "Confirmed balances of the managed addresses and their sum. When the nodes' quotas do not suffice at once it takes up to 90"
                        + " seconds, for up to 2000 addresses.",
                Params.class,
                Result.class);
        this.nodes = nodes;
        this.keys = keys;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return CompletableFuture.supplyAsync(() -> scanned(keys.get(), params.addresses()), executor)
                .thenComposeAsync(entries -> scan(entries, params.utxos().orElse(true)), executor);
    }

    private static List<KeyEntry> scanned(List<KeyEntry> entries, Optional<List<Address>> filter) {
        if (filter.isEmpty()) {
            return entries;
        }
        Set<Address> wanted = new HashSet<>(filter.get());
        return entries.stream()
                .filter(entry -> wanted.contains(entry.address()))
                .toList();
    }

    private CompletionStage<Result> scan(List<KeyEntry> entries, boolean withUtxos) {
        List<Address> addresses = entries.stream().map(KeyEntry::address).toList();
        NodeClient asked = addresses.size() <= MOST_WORTH_WAITING ? nodes.patient(PATIENCE) : nodes;
        CompletionStage<List<Amount>> balances = asked.balances(addresses);
        CompletionStage<List<NodeClient.UtxoListing>> listings =
                withUtxos ? asked.addressUtxos(addresses) : CompletableFuture.completedStage(List.of());
        return balances.thenCombineAsync(listings, (found, listed) -> result(entries, found, listed), executor);
    }

    private static Result result(List<KeyEntry> keys, List<Amount> balances, List<NodeClient.UtxoListing> listings) {
        List<Entry> entries = new ArrayList<>(keys.size());
        Amount total = Amount.ZERO;
        for (int i = 0; i < keys.size(); i++) {
            entries.add(entry(
                    keys.get(i),
                    balances.get(i),
                    listings.isEmpty() ? Optional.empty() : Optional.of(listings.get(i))));
            total = sum(total, balances.get(i));
        }
        return new Result(entries, total);
    }

    private static Entry entry(KeyEntry key, Amount balance, Optional<NodeClient.UtxoListing> listing) {
        return new Entry(
                key.address(),
                key.index(),
                key.label(),
                key.imported(),
                balance,
                listing.isPresent() ? OptionalLong.of(listing.get().utxos().size()) : OptionalLong.empty(),
                listing.map(NodeClient.UtxoListing::truncated));
    }

    private static Amount sum(Amount total, Amount balance) {
        try {
            return total.plus(balance);
        } catch (ArithmeticException e) {
            throw new NodeException.BadAnswer("the balances that the node reports add up to more than 2^64-1");
        }
    }
}
