package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.indexer.Activity;
import org.chainwalletd.indexer.AddressHistory;
import org.chainwalletd.indexer.Page;
import org.chainwalletd.indexer.PageQuery;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.U32;

/** {@code get_address_history}: from the daemon's own books where they tell, else from the indexer. */
final class GetAddressHistoryMethod
        extends IndexerMethod<GetAddressHistoryMethod.Params, GetAddressHistoryMethod.Result> {
    public record Params(
            Address address,
            @Doc("Only blocks of this height and above") OptionalLong sinceHeight,

            @Doc("Rows of a page, 100 by default, at most 1000") @U32
            OptionalLong limit,

            @Doc("`next_cursor` of the page before") Optional<String> cursor) {}

    public record Result(
            List<Row> history,
            @Doc("There is another page") @MaybeAbsent String nextCursor) {}

    public record Row(
            long blockHeight, Hash256 txId, Amount amount, Activity.Direction direction, boolean isCoinbase) {}

    private final AddressHistory own;
    private final Executor executor;

    GetAddressHistoryMethod(IndexerAccess indexer, AddressHistory own, Executor executor) {
        super(
                "get_address_history",
                "What an address has received and spent, in ascending order of height.",
                Params.class,
                Result.class,
                indexer);
        this.own = own;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        PageQuery query = new PageQuery(
                params.address(),
                Optional.empty(),
                params.sinceHeight(),
                IndexerAccess.limit(params.limit()),
                params.cursor());
        return own.of(query)
                .orElseGet(() -> indexer.ask(client -> client.history(query)))
                .thenApplyAsync(GetAddressHistoryMethod::result, executor);
    }

    private static Result result(Page<Activity> page) {
        return new Result(
                page.items().stream().map(GetAddressHistoryMethod::row).toList(), page.next());
    }

    private static Row row(Activity activity) {
        return new Row(
                activity.blockHeight(),
                activity.txId(),
                activity.amount(),
                activity.direction(),
                activity.isCoinbase());
    }
}
