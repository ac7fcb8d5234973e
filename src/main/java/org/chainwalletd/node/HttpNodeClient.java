package org.chainwalletd.node;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.U64;
import org.chainwalletd.config.Settings;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.stage.Causes;

/** {@link NodeClient} over JSON-RPC: writes the request, sends it through {@link UpstreamCalls}, and parses the answer in one pass. Thread-safe. */
final class HttpNodeClient implements NodeClient {
    /** Maximum number of addresses that a node accepts in one batch call. */
    private static final int BALANCES_PER_CALL = 100;
    /** Maximum size of 1,000 outputs in a listing. */
    private static final int BYTES_PER_LISTING = 200_000;
    /** Number of concurrent single calls that replace a batch call. */
    private static final int SINGLE_CALLS = 8;

    private static final int METHOD_NOT_FOUND = -32601;

    /**
     * Size of the ids of all transactions in the largest block that consensus allows: the shortest transaction has 56 bytes (one input, one output
     * that anyone can spend), and its id takes 67 bytes in an answer. With a smaller limit the follower would be stuck at such a block permanently.
     */
    private static final int BLOCK_ANSWER_BYTES = 6 << 20;

    /** Maximum size of an answer with a few ids and numbers. */
    private static final int SHORT_ANSWER_BYTES = 4 << 10;

    private static final int DESCRIPTION_BYTES = 64 << 10;
    /** Size of the longest transaction in hex, plus the rest of the answer. */
    private static final int TRANSACTION_ANSWER_BYTES = (2 << 20) + (200 << 10);
    /** Maximum size of a listing or balance, per requested address. */
    private static final int LISTING_ANSWER_BYTES = 256 << 10;
    /** Maximum size of the mempool listing of one address. */
    private static final int MEMPOOL_ANSWER_BYTES = 1 << 20;

    private static final Call.Kind TIP = new Call.Kind(Bucket.NONE, false, SHORT_ANSWER_BYTES);
    private static final Call.Kind TRANSACTION = new Call.Kind(Bucket.NONE, false, TRANSACTION_ANSWER_BYTES);
    private static final Call.Kind DESCRIPTION = new Call.Kind(Bucket.NONE, true, DESCRIPTION_BYTES);
    private static final Call.Kind SPENDER = new Call.Kind(Bucket.NONE, true, SHORT_ANSWER_BYTES);
    private static final Call.Kind BLOCK = new Call.Kind(Bucket.NONE, false, BLOCK_ANSWER_BYTES);
    private static final Call.Kind LISTING = new Call.Kind(Bucket.SCAN, false, LISTING_ANSWER_BYTES);
    private static final Call.Kind LISTINGS = new Call.Kind(Bucket.SCAN, true, LISTING_ANSWER_BYTES);
    private static final Call.Kind MEMPOOL = new Call.Kind(Bucket.SCAN, true, MEMPOOL_ANSWER_BYTES);
    private static final Call.Kind BROADCAST = new Call.Kind(Bucket.TX, false, SHORT_ANSWER_BYTES);

    /** Checks each tip that a node reports before the caller gets it. */
    @FunctionalInterface
    interface TipCheck {
        TipCheck NONE = (url, tip) -> {};

        /** @throws NodeException.WrongChain if the node is of another chain */
        void check(String url, Tip tip);
    }

    private final UpstreamCalls upstream;
    private final TipCheck tipCheck;
    private final Executor executor;
    private final int listingsPerCall;
    private final View view;

    /**
     * @param settings the same that {@code upstream} was made with
     * @param executor for continuations of calls that consist of several
     */
    HttpNodeClient(UpstreamCalls upstream, TipCheck tipCheck, Settings.Node settings, Executor executor) {
        this.upstream = upstream;
        this.tipCheck = tipCheck;
        this.executor = executor;
        this.listingsPerCall = Math.max(1, Math.min(BALANCES_PER_CALL, settings.maxAnswerBytes() / BYTES_PER_LISTING));
        this.view = View.WHOLE;
    }

    private HttpNodeClient(HttpNodeClient whole, View view) {
        this.upstream = whole.upstream;
        this.tipCheck = view.anyChain() ? TipCheck.NONE : whole.tipCheck;
        this.executor = whole.executor;
        this.listingsPerCall = whole.listingsPerCall;
        this.view = view;
    }

    /** Returns a view whose calls all go to the node at {@code url}, once, whichever chain it is of. */
    NodeClient unchecked(String url) {
        UpstreamNode node =
                upstream.rotation().at(url).orElseThrow(() -> new IllegalArgumentException("there is no node " + url));
        return new HttpNodeClient(this, view.of(node).once().ofAnyChain());
    }

    private NodeClient onlyOnce(UpstreamNode node) {
        return new HttpNodeClient(this, view.of(node).once());
    }

    @Override
    public NodeClient hasty() {
        return new HttpNodeClient(this, view.once());
    }

    @Override
    public NodeClient patient(Duration time) {
        return new HttpNodeClient(this, view.patient(time));
    }

    @Override
    public NodeClient background() {
        return new HttpNodeClient(this, view.background());
    }

    @Override
    public NodeClient from(int first) {
        return new HttpNodeClient(this, view.from(first));
    }

    @Override
    public List<NodeClient> each() {
        return upstream.rotation().nodes().stream().map(this::onlyOnce).toList();
    }

    @Override
    public CompletionStage<Tip> tip() {
        return call("get_block_height", "{}", TIP, new ResultReader<>() {
            @Override
            public Tip read(AnswerJson in) throws IOException {
                return Answers.tip(in);
            }

            @Override
            public Tip saidBy(String url, Tip tip) {
                tipCheck.check(url, tip);
                return tip;
            }
        });
    }

    @Override
    public CompletionStage<NodeInfo> info() {
        return orElse(
                call("get_node_info", "{}", DESCRIPTION, Answers.INFO),
                HttpNodeClient::isMissingMethod,
                () -> tip().thenApplyAsync(
                                tip -> new NodeInfo(null, null, tip.genesisBlockId(), tip.height(), tip.blockId()),
                                executor));
    }

    @Override
    public CompletionStage<Amount> balance(Address address) {
        return call("get_balance", member("address", address.hex()), LISTING, AddressAnswers.balance(address));
    }

    @Override
    public CompletionStage<List<Amount>> balances(List<Address> addresses) {
        return batch("get_balances", LISTINGS, addresses, BALANCES_PER_CALL, AddressAnswers::balances, this::balance);
    }

    @Override
    public CompletionStage<UtxoListing> addressUtxos(Address address) {
        return call(
                "get_address_utxos", member("address", address.hex()), LISTING, AddressAnswers.addressUtxos(address));
    }

    @Override
    public CompletionStage<List<UtxoListing>> addressUtxos(List<Address> addresses) {
        return batch(
                "get_address_utxos_batch",
                LISTINGS,
                addresses,
                listingsPerCall,
                AddressAnswers::addressUtxos,
                this::addressUtxos);
    }

    @Override
    public CompletionStage<UtxoListing> scriptUtxos(Bytes script) {
        return call(
                "get_script_utxos", member("script_hex", script.hex()), LISTING, AddressAnswers.scriptUtxos(script));
    }

    @Override
    public CompletionStage<AddressMempool> addressMempool(Address address) {
        return call(
                "get_address_mempool",
                member("address", address.hex()),
                MEMPOOL,
                AddressAnswers.addressMempool(address));
    }

    @Override
    public CompletionStage<List<AddressMempool>> addressMempools(List<Address> addresses) {
        return batch(
                "get_address_mempool_batch",
                MEMPOOL,
                addresses,
                BALANCES_PER_CALL,
                AddressAnswers::addressMempools,
                this::addressMempool);
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> blockAt(long height) {
        return orEmpty(
                call("get_block", "{\"height\":" + U64.toString(height) + "}", BLOCK, Answers.blockAt(height)),
                rejected -> rejected.text().startsWith("No block at height"));
    }

    @Override
    public CompletionStage<Optional<BlockSummary>> block(Hash256 blockId) {
        return orEmpty(
                call("get_block", member("hash", blockId.hex()), BLOCK, Answers.block(blockId)),
                rejected -> rejected.text().equalsIgnoreCase("Block not found"));
    }

    @Override
    public CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId) {
        return orEmpty(
                call("get_transaction", member("hash", txId.hex()), TRANSACTION, Answers.transaction(txId)),
                rejected -> rejected.text().equalsIgnoreCase("Transaction not found")
                        || rejected.text().equalsIgnoreCase("tx not found"));
    }

    @Override
    public CompletionStage<Optional<SpentBy>> spentBy(Outpoint outpoint) {
        return orElse(
                knownSpentBy(outpoint),
                HttpNodeClient::isMissingMethod,
                () -> CompletableFuture.completedFuture(Optional.empty()));
    }

    @Override
    public CompletableFuture<Optional<SpentBy>> knownSpentBy(Outpoint outpoint) {
        String params = "{\"tx_id\":\"" + outpoint.txId().hex() + "\",\"output_index\":" + outpoint.index() + "}";
        return call("get_output_spent_by", params, SPENDER, Answers::spentBy);
    }

    @Override
    public CompletionStage<Hash256> sendRawTransaction(Bytes transaction) {
        return call("send_raw_transaction", member("tx_hex", transaction.hex()), BROADCAST, Answers::broadcast);
    }

    private static String member(String name, String value) {
        return "{\"" + name + "\":\"" + value + "\"}";
    }

    private static String members(List<Address> addresses) {
        return addresses.stream().map(Address::hex).collect(Collectors.joining("\",\"", "{\"addresses\":[\"", "\"]}"));
    }

    private <T> CompletableFuture<T> call(String method, String params, Call.Kind kind, ResultReader<T> reader) {
        return upstream.ask(method, params, kind, view, reader);
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
                            Throwable cause = Causes.of(failure);
                            return cause instanceof NodeException.Rejected rejected && isCovered.apply(rejected)
                                    ? otherwise.get()
                                    : CompletableFuture.<T>failedStage(cause);
                        },
                        executor)
                .thenComposeAsync(Function.identity(), executor);
    }

    /**
     * Asks about addresses in parts that a node accepts in one call. Uses the single-address call for a part of one address, and for each address
     * if the node lacks the batch method.
     */
    private <T> CompletionStage<List<T>> batch(
            String method,
            Call.Kind kind,
            List<Address> addresses,
            int most,
            Function<List<Address>, ResultReader<List<T>>> reader,
            Function<Address, CompletionStage<T>> single) {
        if (addresses.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Function<List<Address>, CompletionStage<List<T>>> ask = part -> part.size() == 1
                ? single.apply(part.get(0)).thenApplyAsync(List::of, executor)
                : orElse(
                        call(method, members(part), kind.times(part.size()), reader.apply(part)),
                        HttpNodeClient::isMissingMethod,
                        () -> Bounded.each(part, SINGLE_CALLS, single, executor));
        List<List<Address>> parts = new ArrayList<>();
        for (int from = 0; from < addresses.size(); from += most) {
            parts.add(List.copyOf(addresses.subList(from, Math.min(from + most, addresses.size()))));
        }
        if (parts.size() == 1) {
            return ask.apply(parts.get(0));
        }
        return Bounded.each(parts, 1, ask, executor)
                .thenApplyAsync(
                        answers -> answers.stream().flatMap(List::stream).toList(), executor);
    }
}
