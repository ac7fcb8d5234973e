package org.chainwalletd.account;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.Question.Size;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.stage.Causes;

/** Makes JSON-RPC calls of questions; whom they are put to is left open. */
abstract class JsonReads implements AccountReads {
    /** EIP-170 allows 24,576 bytes; some chains twice as many. */
    private static final int LONGEST_CODE = 65_536;

    private static final int LONGEST_RETURN = 4_096;
    private static final int FEE_BLOCKS = 10;
    private static final int MEDIAN = 50;

    private final Executor executor;

    JsonReads(Executor executor) {
        this.executor = executor;
    }

    abstract <T> CompletionStage<T> ask(Question<T> question);

    final Executor executor() {
        return executor;
    }

    @Override
    public CompletionStage<BigInteger> chainId() {
        return ask(new Question<>("eth_chainId", Question.noParams(), Size.SMALL, Quantities::number));
    }

    @Override
    public CompletionStage<Optional<AccountBlock>> block(BlockRef at) {
        return ask(blockQuestion(at, false, Size.HEAD, result -> ChainAnswers.block(result, at)));
    }

    @Override
    public CompletionStage<Optional<List<AccountTransaction>>> transactionsTo(EvmAddress to, BlockRef at) {
        return ask(blockQuestion(at, true, Size.WIDE, result -> ChainAnswers.transactionsTo(to, result, at)));
    }

    private static <T> Question<T> blockQuestion(BlockRef at, boolean whole, Size size, Question.Reader<T> reader) {
        ArrayNode params = Question.noParams();
        if (at instanceof BlockRef.ByHash byHash) {
            return new Question<>(
                    "eth_getBlockByHash",
                    params.add(Quantities.text(byHash.hash())).add(whole),
                    size,
                    reader);
        }
        return new Question<>(
                "eth_getBlockByNumber", params.add(Question.where(at)).add(whole), size, reader);
    }

    @Override
    public CompletionStage<BigInteger> balance(EvmAddress address, BlockRef at) {
        return ask(new Question<>("eth_getBalance", Question.paramsOf(address, at), Size.SMALL, Quantities::number));
    }

    @Override
    public CompletionStage<Bytes> code(EvmAddress address, BlockRef at) {
        return ask(new Question<>(
                "eth_getCode",
                Question.paramsOf(address, at),
                Size.HEAD,
                result -> ChainAnswers.bytes(result, LONGEST_CODE)));
    }

    @Override
    public CompletionStage<Hash256> storage(EvmAddress address, Hash256 slot, BlockRef at) {
        ArrayNode params = Question.noParams()
                .add(Quantities.text(address))
                .add(Quantities.text(slot))
                .add(Question.where(at));
        return ask(new Question<>("eth_getStorageAt", params, Size.SMALL, ChainAnswers::word));
    }

    @Override
    public CompletionStage<Long> transactionCount(EvmAddress address, BlockRef at) {
        return ask(new Question<>(
                "eth_getTransactionCount", Question.paramsOf(address, at), Size.SMALL, Quantities::count));
    }

    @Override
    public CompletionStage<Bytes> call(EvmAddress to, Bytes data, BlockRef at) {
        ArrayNode params = Question.noParams();
        params.addObject().put("to", Quantities.text(to)).put("data", Quantities.text(data));
        params.add(Question.where(at));
        return ask(
                new Question<>("eth_call", params, Size.SMALL, result -> ChainAnswers.bytes(result, LONGEST_RETURN)));
    }

    @Override
    public CompletionStage<SwapContract.Swap> swap(EvmAddress contract, Hash256 hashLock, BlockRef at) {
        ArrayNode params = Question.noParams();
        params.addObject()
                .put("to", Quantities.text(contract))
                .put("data", Quantities.text(SwapContract.getSwap(hashLock)));
        params.add(Question.where(at));
        return ask(new Question<>(
                "eth_call",
                params,
                Size.SMALL,
                result -> SwapContract.swap(ChainAnswers.bytes(result, LONGEST_RETURN))));
    }

    @Override
    public CompletionStage<List<AccountLog>> logs(LogQuery query) {
        ArrayNode params = Question.noParams();
        ObjectNode filter = params.addObject();
        filter.put("address", Quantities.text(query.address()));
        filter.put("fromBlock", Quantities.text(query.from()));
        filter.put("toBlock", Quantities.text(query.to()));
        ArrayNode topics = filter.putArray("topics");
        query.topics().forEach(topic -> topics.add(topic.map(Quantities::text).orElse(null)));
        return ask(new Question<>(
                "eth_getLogs", params, Size.WIDE, result -> List.copyOf(ChainAnswers.logs(result, query))));
    }

    @Override
    public CompletionStage<Optional<AccountReceipt>> receipt(Hash256 transaction) {
        return ask(new Question<>(
                "eth_getTransactionReceipt",
                Question.noParams().add(Quantities.text(transaction)),
                Size.HEAD,
                result -> ChainAnswers.receipt(result, transaction)));
    }

    @Override
    public CompletionStage<Optional<AccountTransaction>> transaction(Hash256 transaction) {
        return ask(new Question<>(
                "eth_getTransactionByHash",
                Question.noParams().add(Quantities.text(transaction)),
                Size.HEAD,
                result -> ChainAnswers.transaction(result, transaction)));
    }

    @Override
    public CompletionStage<BigInteger> tip() {
        ArrayNode params = Question.noParams().add(Quantities.text(FEE_BLOCKS)).add(BlockRef.Tag.LATEST.word());
        params.addArray().add(MEDIAN);
        CompletionStage<Optional<BigInteger>> history =
                ask(new Question<>("eth_feeHistory", params, Size.SMALL, ChainAnswers::medianTip));
        return history.exceptionallyComposeAsync(
                        failure -> Causes.of(failure) instanceof AccountException.Refused
                                ? CompletableFuture.completedFuture(Optional.empty())
                                : CompletableFuture.failedFuture(Causes.of(failure)),
                        executor)
                .thenComposeAsync(
                        tip -> tip.isPresent() ? CompletableFuture.completedFuture(tip.get()) : advisedTip(), executor);
    }

    /** Where recent blocks show no tip the endpoint's own advice counts. */
    private CompletionStage<BigInteger> advisedTip() {
        CompletionStage<BigInteger> advised =
                ask(new Question<>("eth_maxPriorityFeePerGas", Question.noParams(), Size.SMALL, Quantities::number));
        return advised.exceptionallyAsync(failure -> GasPrice.USUAL_TIP, executor)
                .thenApplyAsync(tip -> tip.max(BigInteger.ONE), executor);
    }

    @Override
    public CompletionStage<Long> estimateGas(EvmAddress from, EvmAddress to, BigInteger value, Bytes data) {
        ArrayNode params = Question.noParams();
        params.addObject()
                .put("from", Quantities.text(from))
                .put("to", Quantities.text(to))
                .put("value", Quantities.text(value))
                .put("data", Quantities.text(data));
        return ask(new Question<>("eth_estimateGas", params, Size.SMALL, Quantities::count));
    }
}
