package org.chainwalletd.rpc.method.swap;

import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.swap.SwapJournal;
import org.chainwalletd.swap.SwapStatus;

/** {@code swap_list}: the journal, newest first. */
final class SwapListMethod extends SwapMethod<SwapParams.SwapList, SwapResults.Swaps> {
    static final String SUMMARY = "Swaps of the journal, newest first. Quotes that expired are forgotten after a week.";

    private static final int DEFAULT_LIMIT = 100;
    private static final int MOST = 1_000;
    private static final String CURSOR = "[1-9][0-9]{0,17}";

    SwapListMethod(Parts parts) {
        super("swap_list", Scope.READ, SUMMARY, SwapParams.SwapList.class, SwapResults.Swaps.class, parts);
    }

    @Override
    public CompletionStage<SwapResults.Swaps> call(SwapParams.SwapList params, CallContext context) {
        long limit = params.limit().orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MOST) {
            throw RpcException.invalidParams("`limit` must be between 1 and " + MOST);
        }
        return swaps().page(
                        params.state().map(SwapListMethod::status),
                        params.cursor().map(SwapListMethod::number),
                        (int) limit)
                .thenApplyAsync(this::result, executor());
    }

    private static SwapStatus status(String word) {
        return SwapStatus.ofWord(word)
                .orElseThrow(() -> RpcException.invalidParams("`state` must be one of "
                        + Arrays.stream(SwapStatus.values())
                                .map(SwapStatus::word)
                                .collect(Collectors.joining(", "))));
    }

    private static long number(String cursor) {
        if (!cursor.matches(CURSOR)) {
            throw RpcException.invalidParams("`cursor` must be the next_cursor of an earlier answer");
        }
        return Long.parseLong(cursor);
    }

    private SwapResults.Swaps result(SwapJournal.Page page) {
        return new SwapResults.Swaps(
                page.rows().stream().map(row -> SwapRecord.of(row, words())).toList(),
                page.next().map(String::valueOf));
    }
}
