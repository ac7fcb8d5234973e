package org.chainwalletd.node;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.U64;
import org.chainwalletd.config.Settings;

/** {@link NodeClient} over JSON-RPC: writes the question, lets {@link Upstream} carry it, reads the answer in one pass. Thread-safe. */
public final class HttpNodeClient implements NodeClient {
    /** What a node takes in one batch call. */
    private static final int BALANCES_PER_CALL = 100;
    /** The longest form of 1,000 outputs in a listing. */
    private static final int BYTES_PER_LISTING = 200_000;
    /** How many single calls stand in for a batch call at a time. */
    private static final int SINGLE_CALLS = 8;

    private static final int METHOD_NOT_FOUND = -32601;

    private final ActorRef<Upstream.Command> upstream;
    private final Executor executor;
    private final List<String> urls;
    private final int listingsPerCall;
    private final AtomicLong ids;
    private final Call.Pin pin;
    private final int attempts;
    private final Call.Patience patience;

    /**
     * @param settings the same that {@code upstream} was made with
     * @param executor continues calls that are made of several
     */
    public HttpNodeClient(ActorRef<Upstream.Command> upstream, Settings.Node settings, Executor executor) {
        this.upstream = upstream;
        this.executor = executor;
        this.urls = settings.urls().stream().map(URI::toString).toList();
        this.listingsPerCall = Math.max(1, Math.min(BALANCES_PER_CALL, settings.maxAnswerBytes() / BYTES_PER_LISTING));
        this.ids = new AtomicLong();
        this.pin = null;
        this.attempts = 0;
        this.patience = null;
    }

    private HttpNodeClient(HttpNodeClient whole, Call.Pin pin, int attempts, Call.Patience patience) {
        this.upstream = whole.upstream;
        this.executor = whole.executor;
        this.urls = whole.urls;
        this.listingsPerCall = whole.listingsPerCall;
        this.ids = whole.ids;
        this.pin = pin;
        this.attempts = attempts;
        this.patience = patience;
    }

    @Override
    public NodeClient pinned() {
        return new HttpNodeClient(this, new Call.Pin(null), attempts, patience);
    }

    /** A view whose calls all go to the node at {@code url}, once. */
    NodeClient onlyOnce(String url) {
        return new HttpNodeClient(this, new Call.Pin(url), 1, patience);
    }

    @Override
    public NodeClient hasty() {
        return new HttpNodeClient(this, pin, 1, patience);
    }

    @Override
    public NodeClient patient(Duration time) {
        return new HttpNodeClient(this, pin, attempts, new Call.Patience(time));
    }

    @Override
    public List<NodeClient> each() {
        return urls.stream().map(this::onlyOnce).toList();
    }

    @Override
    public CompletionStage<Tip> tip() {
        return call("get_block_height", "{}", Bucket.NONE, Answers::tip);
    }

    @Override
    public CompletionStage<NodeInfo> info() {
        return orElse(
                optionalCall("get_node_info", "{}", Bucket.NONE, Answers::info),
                HttpNodeClient::isMissingMethod,
                () -> tip().thenApplyAsync(
                                tip -> new NodeInfo(null, null, tip.genesisBlockId(), tip.height(), tip.blockId()),
                                executor));
    }

    @Override
    public CompletionStage<Amount> balance(Address address) {
        return call("get_balance", member("address", address.hex()), Bucket.SCAN, AddressAnswers.balance(address));
    }

    @Override
    public CompletionStage<List<Amount>> balances(List<Address> addresses) {
        return inParts(addresses, BALANCES_PER_CALL, this::someBalances);
    }

    private CompletionStage<List<Amount>> someBalances(List<Address> addresses) {
        if (addresses.size() == 1) {
            return balance(addresses.get(0)).thenApplyAsync(List::of, executor);
        }
        return orElse(
                optionalCall("get_balances", members(addresses), Bucket.SCAN, AddressAnswers.balances(addresses)),
                HttpNodeClient::isMissingMethod,
                () -> Bounded.each(addresses, SINGLE_CALLS, this::balance, executor));
    }

    @Override
    public CompletionStage<UtxoListing> addressUtxos(Address address) {
        return call(
                "get_address_utxos",
                member("address", address.hex()),
                Bucket.SCAN,
                AddressAnswers.addressUtxos(address));
    }

    @Override
    public CompletionStage<List<UtxoListing>> addressUtxos(List<Address> addresses) {
        return inParts(addresses, listingsPerCall, this::someListings);
    }

    private CompletionStage<List<UtxoListing>> someListings(List<Address> addresses) {
        if (addresses.size() == 1) {
            return addressUtxos(addresses.get(0)).thenApplyAsync(List::of, executor);
        }
        return orElse(
                optionalCall(
                        "get_address_utxos_batch",
                        members(addresses),
                        Bucket.SCAN,
                        AddressAnswers.addressUtxos(addresses)),
                HttpNodeClient::isMissingMethod,
                () -> Bounded.each(addresses, SINGLE_CALLS, this::addressUtxos, executor));
    }

    @Override
    public CompletionStage<UtxoListing> scriptUtxos(Bytes script) {
        return call(
                "get_script_utxos",
                member("script_hex", script.hex()),
                Bucket.SCAN,
                AddressAnswers.scriptUtxos(script));
    }

    @Override
    public CompletionStage<AddressMempool> addressMempool(Address address) {
        return optionalCall(
                "get_address_mempool",
                member("address", address.hex()),
                Bucket.SCAN,
                AddressAnswers.addressMempool(address));
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> blockAt(long height) {
        return orEmpty(
                call("get_block", "{\"height\":" + U64.toString(height) + "}", Bucket.NONE, Answers.blockAt(height)),
                rejected -> rejected.text().startsWith("No block at height"));
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> block(Hash256 blockId) {
        return orEmpty(
                call("get_block", member("hash", blockId.hex()), Bucket.NONE, Answers.block(blockId)),
                rejected -> rejected.text().equalsIgnoreCase("Block not found"));
    }

    @Override
    public CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId) {
        return orEmpty(
                call("get_transaction", member("hash", txId.hex()), Bucket.NONE, Answers.transaction(txId)),
                rejected -> rejected.text().equalsIgnoreCase("Transaction not found")
                        || rejected.text().equalsIgnoreCase("tx not found"));
    }

    @Override
    public CompletionStage<Optional<SpentBy>> spentBy(Outpoint outpoint) {
        String params = "{\"tx_id\":\"" + outpoint.txId().hex() + "\",\"output_index\":" + outpoint.index() + "}";
        return orElse(
                optionalCall("get_output_spent_by", params, Bucket.NONE, Answers::spentBy),
                HttpNodeClient::isMissingMethod,
                () -> CompletableFuture.completedFuture(Optional.empty()));
    }

    @Override
    public CompletionStage<Hash256> sendRawTransaction(Bytes transaction) {
        return call("send_raw_transaction", member("tx_hex", transaction.hex()), Bucket.TX, Answers::broadcast);
    }

    private static String member(String name, String value) {
        return "{\"" + name + "\":\"" + value + "\"}";
    }

    private static String members(List<Address> addresses) {
        return addresses.stream().map(Address::hex).collect(Collectors.joining("\",\"", "{\"addresses\":[\"", "\"]}"));
    }

    private <T> CompletableFuture<T> call(String method, String params, Bucket bucket, ResultReader<T> reader) {
        return call(method, params, bucket, false, reader);
    }

    /** A call of a method that older nodes do not have (chain protocol, section 14). */
    private <T> CompletableFuture<T> optionalCall(String method, String params, Bucket bucket, ResultReader<T> reader) {
        return call(method, params, bucket, true, reader);
    }

    private <T> CompletableFuture<T> call(
            String method, String params, Bucket bucket, boolean mayBeMissing, ResultReader<T> reader) {
        long id = ids.incrementAndGet();
        String request =
                "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + ",\"id\":" + id + "}";
        Call<T> call = new Call<>(
                method,
                request.getBytes(StandardCharsets.US_ASCII),
                id,
                bucket,
                mayBeMissing,
                pin,
                attempts,
                patience,
                reader);
        upstream.tell(new Upstream.Ask(call));
        return call.reply;
    }

    private static boolean isMissingMethod(NodeException.Rejected rejected) {
        return rejected.code() == METHOD_NOT_FOUND;
    }

    private <T> CompletionStage<Optional<T>> orEmpty(
            CompletableFuture<T> call, Function<NodeException.Rejected, Boolean> meansEmpty) {
        return orElse(
                call.thenApplyAsync(Optional::of, executor),
                meansEmpty,
                () -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private <T> CompletionStage<T> orElse(
            CompletableFuture<T> call,
            Function<NodeException.Rejected, Boolean> isCovered,
            Supplier<CompletionStage<T>> otherwise) {
        return call.handleAsync(
                        (value, failure) -> {
                            if (failure == null) {
                                return CompletableFuture.completedStage(value);
                            }
                            Throwable cause = unwrap(failure);
                            return cause instanceof NodeException.Rejected rejected && isCovered.apply(rejected)
                                    ? otherwise.get()
                                    : CompletableFuture.<T>failedStage(cause);
                        },
                        executor)
                .thenComposeAsync(Function.identity(), executor);
    }

    private <T> CompletionStage<List<T>> inParts(
            List<Address> addresses, int size, Function<List<Address>, CompletionStage<List<T>>> ask) {
        if (addresses.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        List<List<Address>> parts = new ArrayList<>();
        for (int from = 0; from < addresses.size(); from += size) {
            parts.add(List.copyOf(addresses.subList(from, Math.min(from + size, addresses.size()))));
        }
        if (parts.size() == 1) {
            return ask.apply(parts.get(0));
        }
        return Bounded.each(parts, 1, ask, executor)
                .thenApplyAsync(
                        answers -> Collections.unmodifiableList(
                                answers.stream().flatMap(List::stream).toList()),
                        executor);
    }

    private static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
