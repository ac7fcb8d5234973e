package org.chainwalletd.rpc.method.htlc;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.htlc.HtlcRecord;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OneOrMore;
import org.chainwalletd.wire.U32;

/** {@code htlc_list}: a page of the index. */
final class HtlcListMethod extends NamedMethod<HtlcListMethod.Params, HtlcListMethod.Result> {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MOST = 1000;

    enum RoleFilter {
        SENDER,
        RECEIVER,
        BOTH,
        ANY;

        private Set<HtlcRecord.Role> roles() {
            return this == ANY ? EnumSet.allOf(HtlcRecord.Role.class) : EnumSet.of(HtlcRecord.Role.valueOf(name()));
        }
    }

    record Params(
            @Doc(
                    "default `any`; compared with the record's role, so `sender` leaves out those of which both parties are own keys")
            Optional<RoleFilter> role,

            Optional<OneOrMore<HtlcRecord.State>> state,

            @Doc("only locks in blocks of this height or higher")
            OptionalLong sinceHeight,

            @Doc("default 100; more than 1000 counts as 1000") @U32
            OptionalLong limit,

            @Doc("`next_cursor` of the page before") Optional<String> cursor,

            @Doc("only those of which this address is a party")
            Optional<Address> address) {}

    record Result(
            @Doc("ascending by lock height, lock transaction id and output index; locks in no block come last")
            List<RecordView> htlcs,

            @Doc("absent on the last page") Optional<String> nextCursor) {}

    private final HtlcRecords records;
    private final Executor executor;

    HtlcListMethod(HtlcRecords records, Executor executor) {
        super(
                "htlc_list",
                Scope.READ,
                "HTLCs in which keys of this daemon are parties, from the local index, page by page; with `address` and any role also"
                        + " those of which only an indexer knows, as `observer`.",
                Params.class,
                Result.class);
        this.records = records;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        long limit = params.limit().orElse(DEFAULT_LIMIT);
        if (limit < 1) {
            throw RpcException.invalidParams("`limit` must be at least 1");
        }
        HtlcRecords.Query query = new HtlcRecords.Query(
                params.role().orElse(RoleFilter.ANY).roles(),
                params.state()
                        .<Set<HtlcRecord.State>>map(states -> EnumSet.copyOf(states.items()))
                        .orElse(EnumSet.allOf(HtlcRecord.State.class)),
                params.sinceHeight(),
                params.address(),
                params.cursor(),
                (int) Math.min(limit, MOST));
        return records.list(query)
                .thenApplyAsync(
                        page -> new Result(
                                page.records().stream().map(RecordView::of).toList(), page.nextCursor()),
                        executor);
    }
}
