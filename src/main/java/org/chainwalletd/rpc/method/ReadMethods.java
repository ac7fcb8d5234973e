package org.chainwalletd.rpc.method;

import static org.chainwalletd.api.Keys.WATCH_ONLY;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.api.Reads.Block;
import org.chainwalletd.api.Reads.GetAddressMempool;
import org.chainwalletd.api.Reads.GetAddressUtxos;
import org.chainwalletd.api.Reads.GetBalance;
import org.chainwalletd.api.Reads.GetBlock;
import org.chainwalletd.api.Reads.GetBlockByHeight;
import org.chainwalletd.api.Reads.GetBlockById;
import org.chainwalletd.api.Reads.GetBlockHeight;
import org.chainwalletd.api.Reads.GetBlockIdAtHeight;
import org.chainwalletd.api.Reads.GetScriptUtxos;
import org.chainwalletd.api.Reads.GetStatus;
import org.chainwalletd.api.Reads.GetTransaction;
import org.chainwalletd.api.Reads.GetWalletBalance;
import org.chainwalletd.api.Reads.GetWalletHistory;
import org.chainwalletd.api.Reads.Ping;
import org.chainwalletd.api.Reads.Utxo;
import org.chainwalletd.api.Reads.UtxoListing;
import org.chainwalletd.api.Reads.ValidateAddress;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Spending.Input;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.U64;
import org.chainwalletd.coins.WalletFigures;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.NodesSeen;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.store.WatchStore;

/**
 * Handlers of the methods of {@link org.chainwalletd.api.Reads}.
 *
 * @param version version of the daemon, for {@code get_status}
 * @param coins client for balances and UTXO listings of addresses
 * @param figures balance and movements of the wallet
 * @param executor assembles answers
 */
public record ReadMethods(
        ChainProfile profile,
        String version,
        Nodes nodes,
        NodeClient coins,
        Addresses keys,
        Supplier<WalletFigures> figures,
        InFlight inFlight,
        InstantSource clock,
        Executor executor) {
    private static final CompletionStage<Ping.Result> PONG = CompletableFuture.completedStage(new Ping.Result(true));

    private static final int STATUS_PATIENCE_SECONDS = 5;

    /** Number of addresses above which the balances cannot be read within {@link GetWalletBalance#PATIENCE}, so that waiting is useless. */
    private static final int MAX_ADDRESSES_TO_WAIT = 2_000;

    /**
     * Addresses whose balances are reported, from memory.
     *
     * @param owned keys of the keyring
     * @param watchOnly addresses whose keys are elsewhere
     */
    public record Addresses(Supplier<List<KeyEntry>> owned, Supplier<List<WatchStore.WatchOnly>> watchOnly) {}

    /**
     * Spends in flight as reported by {@code get_status}; read from memory.
     *
     * @param utxos number of reserved outpoints
     * @param transfers number of spends that were broadcast and not yet seen confirmed, conflicted or abandoned
     */
    public record InFlight(IntSupplier utxos, IntSupplier transfers) {}

    public List<RpcMethod<?, ?>> all() {
        TransactionReads transactions = new TransactionReads(profile, nodes.client(), executor);
        return List.of(
                RpcMethod.of(Ping.class, (call, context) -> PONG),
                RpcMethod.of(ValidateAddress.class, this::validateAddress),
                RpcMethod.of(GetStatus.class, this::status),
                RpcMethod.of(GetBlockHeight.class, this::blockHeight),
                RpcMethod.of(
                        GetBlockById.class, call -> nodes.client().block(call.blockId()), ReadMethods::byId, executor),
                RpcMethod.of(GetBlockByHeight.class, call -> blockAt(call.height())),
                RpcMethod.of(GetBlockIdAtHeight.class, this::blockIdAtHeight),
                RpcMethod.of(GetBlock.class, this::block),
                RpcMethod.of(GetTransaction.class, transactions::transaction),
                RpcMethod.of(GetBalance.class, this::balance),
                RpcMethod.of(GetWalletBalance.class, this::walletBalance),
                RpcMethod.of(GetWalletHistory.class, this::walletHistory),
                RpcMethod.of(GetAddressUtxos.class, this::addressUtxos),
                RpcMethod.of(GetScriptUtxos.class, this::scriptUtxos),
                RpcMethod.of(GetAddressMempool.class, this::addressMempool));
    }

    private CompletionStage<ValidateAddress.Result> validateAddress(ValidateAddress call) {
        return CompletableFuture.completedStage(parsed(call.address()));
    }

    private static ValidateAddress.Result parsed(String text) {
        try {
            return new ValidateAddress.Result(true, Optional.of(Address.parse(text)));
        } catch (IllegalArgumentException e) {
            return new ValidateAddress.Result(false, Optional.empty());
        }
    }

    /** Succeeds within a few seconds, regardless of the nodes. */
    private CompletionStage<GetStatus.Result> status(GetStatus call) {
        return nodes.client()
                .hasty()
                .tip()
                .thenApplyAsync(Optional::of, executor)
                .toCompletableFuture()
                .completeOnTimeout(Optional.empty(), STATUS_PATIENCE_SECONDS, TimeUnit.SECONDS)
                .handleAsync((tip, failure) -> status(failure == null ? tip : Optional.empty()), executor);
    }

    private GetStatus.Result status(Optional<NodeClient.Tip> tip) {
        NodesSeen seen = nodes.seen().get();
        boolean refused = seen.complaint().isPresent() && !seen.maySign();
        return new GetStatus.Result(
                version,
                new GetStatus.Tip(
                        tip.map(NodeClient.Tip::blockId),
                        tip.isPresent() ? OptionalLong.of(tip.get().height()) : OptionalLong.empty()),
                tip.isPresent() && !refused,
                seen.nodes().stream().map(NodesSeen.Seen::url).toList(),
                keys.owned().get().size(),
                inFlight.utxos().getAsInt(),
                inFlight.transfers().getAsInt(),
                seen.network(),
                seen.expected(),
                seen.complaint());
    }

    private CompletionStage<GetBlockHeight.Result> blockHeight(GetBlockHeight call) {
        return nodes.client()
                .tip()
                .thenApplyAsync(
                        tip -> new GetBlockHeight.Result(
                                tip.height(), tip.blockId(), Optional.ofNullable(tip.genesisBlockId())),
                        executor);
    }

    /** Fetches the whole block and returns its id. */
    private CompletionStage<GetBlockIdAtHeight.Result> blockIdAtHeight(GetBlockIdAtHeight call) {
        return blockAt(call.height())
                .thenApplyAsync(block -> new GetBlockIdAtHeight.Result(block.height(), block.blockId()), executor);
    }

    private CompletionStage<Block> block(GetBlock call) {
        if (call.hash().isPresent()) {
            return nodes.client().block(call.hash().get()).thenApplyAsync(ReadMethods::byId, executor);
        }
        return blockAt(
                call.height().orElseThrow(() -> RefusedException.invalidParams("give either `hash` or `height`")));
    }

    private CompletionStage<Block> blockAt(long height) {
        return nodes.client()
                .blockAt(height)
                .thenApplyAsync(
                        found -> view(found.orElseThrow(
                                () -> UpstreamErrors.notFound("No block at height " + U64.toString(height)))),
                        executor);
    }

    private static Block byId(Optional<NodeClient.BlockSummary> found) {
        return view(found.orElseThrow(() -> UpstreamErrors.notFound("Block not found")));
    }

    /** The list of transactions cannot be checked without their bytes, because {@code txRoot} is over the bytes. */
    private static Block view(NodeClient.BlockSummary block) {
        if (!block.header().id().equals(block.blockId())) {
            throw new NodeException.BadAnswer("node answered get_block with a header of another id");
        }
        return new Block(
                block.blockId(),
                block.blockId(),
                block.height(),
                block.previousBlockId(),
                block.stateRoot(),
                block.txRoot(),
                block.timestamp(),
                block.nonce(),
                block.difficultyTarget(),
                block.txCount(),
                block.transactions());
    }

    private CompletionStage<GetBalance.Result> balance(GetBalance call) {
        return coins.balance(call.address())
                .thenApplyAsync(balance -> new GetBalance.Result(call.address(), balance), executor);
    }

    private CompletionStage<GetWalletBalance.Result> walletBalance(GetWalletBalance call) {
        return CompletableFuture.supplyAsync(() -> scanned(call), executor)
                .thenComposeAsync(scanned -> scan(scanned, call.utxos().orElse(true)), executor);
    }

    /** Address of the wallet, or a watched address whose key is elsewhere. */
    private record Scanned(Address address, OptionalLong index, Optional<String> label, Optional<Boolean> imported) {
        static Scanned of(KeyEntry key) {
            return new Scanned(key.address(), key.index(), key.label(), Optional.of(key.imported()));
        }

        static Scanned of(WatchStore.WatchOnly watched) {
            return new Scanned(watched.address(), OptionalLong.empty(), watched.label(), Optional.empty());
        }
    }

    private List<Scanned> scanned(GetWalletBalance call) {
        Stream<Scanned> owned = keys.owned().get().stream().map(Scanned::of);
        Stream<Scanned> all = call.includeWatchOnly().orElse(false)
                ? Stream.concat(owned, keys.watchOnly().get().stream().map(Scanned::of))
                : owned;
        if (call.addresses().isEmpty()) {
            return all.toList();
        }
        Set<Address> wanted = new HashSet<>(call.addresses().get());
        return all.filter(entry -> wanted.contains(entry.address())).toList();
    }

    private CompletionStage<GetWalletBalance.Result> scan(List<Scanned> entries, boolean withUtxos) {
        List<Address> addresses = entries.stream().map(Scanned::address).toList();
        NodeClient asked = addresses.size() <= MAX_ADDRESSES_TO_WAIT ? coins.patient(GetWalletBalance.PATIENCE) : coins;
        CompletionStage<List<Amount>> balances = asked.balances(addresses);
        CompletionStage<List<NodeClient.UtxoListing>> listings =
                withUtxos ? asked.addressUtxos(addresses) : CompletableFuture.completedStage(List.of());
        return balances.thenCombineAsync(listings, (found, listed) -> result(entries, found, listed), executor);
    }

    private static GetWalletBalance.Result result(
            List<Scanned> addresses, List<Amount> balances, List<NodeClient.UtxoListing> listings) {
        List<GetWalletBalance.WalletEntry> entries = new ArrayList<>(addresses.size());
        Amount total = Amount.ZERO;
        for (int i = 0; i < addresses.size(); i++) {
            entries.add(entry(
                    addresses.get(i),
                    balances.get(i),
                    listings.isEmpty() ? Optional.empty() : Optional.of(listings.get(i))));
            total = sum(total, balances.get(i));
        }
        return new GetWalletBalance.Result(entries, total);
    }

    private static GetWalletBalance.WalletEntry entry(
            Scanned scanned, Amount balance, Optional<NodeClient.UtxoListing> listing) {
        return new GetWalletBalance.WalletEntry(
                scanned.address(),
                scanned.index(),
                scanned.label(),
                scanned.imported().orElse(false),
                balance,
                listing.isPresent() ? OptionalLong.of(listing.get().utxos().size()) : OptionalLong.empty(),
                listing.map(NodeClient.UtxoListing::truncated),
                scanned.imported().isPresent() ? Optional.empty() : Optional.of(WATCH_ONLY));
    }

    private static Amount sum(Amount total, Amount balance) {
        try {
            return total.plus(balance);
        } catch (ArithmeticException e) {
            throw new NodeException.BadAnswer("the balances that the node reports add up to more than 2^64-1");
        }
    }

    /** Answered locally, without asking a node. */
    private CompletionStage<GetWalletHistory.Result> walletHistory(GetWalletHistory call) {
        long hours = call.hours().orElse(WalletFigures.KEPT.toHours());
        if (hours < 1 || hours > WalletFigures.KEPT.toHours()) {
            throw RefusedException.invalidParams("hours is 1 to " + WalletFigures.KEPT.toHours());
        }
        WalletFigures.History history = figures.get().history(Duration.ofHours(hours), clock.instant());
        return CompletableFuture.completedStage(new GetWalletHistory.Result(
                WalletFigures.STEP.toSeconds(), history.height(), history.completeFrom(), history.steps()));
    }

    private CompletionStage<UtxoListing> addressUtxos(GetAddressUtxos call) {
        return coins.addressUtxos(call.address())
                .thenApplyAsync(listing -> listing(Optional.of(call.address()), Optional.empty(), listing), executor);
    }

    private CompletionStage<UtxoListing> scriptUtxos(GetScriptUtxos call) {
        int length = call.scriptHex().length();
        if (length == 0 || length > ChainProfile.MAX_VAR_BYTES) {
            throw RefusedException.invalidParams("`script_hex` must have 1 to 65535 bytes, not " + length);
        }
        return nodes.client()
                .scriptUtxos(call.scriptHex())
                .thenApplyAsync(listing -> listing(Optional.empty(), Optional.of(call.scriptHex()), listing), executor);
    }

    private static UtxoListing listing(
            Optional<Address> address, Optional<Bytes> script, NodeClient.UtxoListing listing) {
        return new UtxoListing(
                address,
                script,
                listing.tipHeight(),
                listing.truncated(),
                listing.utxos().stream().map(ReadMethods::utxo).toList());
    }

    private static Utxo utxo(NodeClient.Utxo utxo) {
        return new Utxo(
                utxo.outpoint().txId(),
                utxo.outpoint().index(),
                utxo.value(),
                utxo.height(),
                utxo.coinbase(),
                utxo.scriptLength() == null ? OptionalInt.empty() : OptionalInt.of(utxo.scriptLength()));
    }

    private CompletionStage<GetAddressMempool.Result> addressMempool(GetAddressMempool call) {
        return nodes.client()
                .addressMempool(call.address())
                .thenApplyAsync(
                        mempool -> new GetAddressMempool.Result(
                                call.address(),
                                mempool.tipHeight(),
                                mempool.entries().stream()
                                        .map(ReadMethods::pending)
                                        .toList()),
                        executor);
    }

    private static GetAddressMempool.Pending pending(NodeClient.MempoolEntry entry) {
        return new GetAddressMempool.Pending(
                entry.txId(),
                entry.received().stream()
                        .map(output -> new GetAddressMempool.Received(output.outputIndex(), output.value()))
                        .toList(),
                entry.spent().stream()
                        .map(coin -> new Input(
                                coin.outpoint().txId(), coin.outpoint().index(), coin.value()))
                        .toList());
    }
}
