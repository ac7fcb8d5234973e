package org.chainwalletd.rpc.method.wait;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Address;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.wait.Waits;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code list_credits}: the feed of what our addresses were paid, from where its reader stands (following.md, section 3). */
final class ListCreditsMethod extends WaitMethod<ListCreditsMethod.Params, ListCreditsMethod.Result> {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MOST = 1_000;

    record Params(
            @Doc("of an earlier answer; without it the feed begins with the first credit")
            Optional<String> cursor,

            @Doc("'now' gives only a cursor, from which what comes later is told")
            Optional<String> from,

            @Doc("default 100, at most 1000") OptionalLong limit,
            @Doc("of this daemon; default all") Optional<Address> address,

            @Doc("0, the default: the log of all events. n: only what is n deep, and its removal") @U32
            OptionalLong minConfirmations,

            @Doc("also what an address pays back to itself; default false")
            Optional<Boolean> includeChange,

            @Doc("how long to wait for the first event; default 0, at most 600")
            OptionalLong waitSecs) {}

    record Result(
            List<CreditView> credits,

            @Doc("for the next call with the same min_confirmations and address; valid for ever")
            String cursor,

            @Doc("whether there is more at once") boolean more) {}

    private final Waits waits;
    private final CreditFeed feed;
    private final CreditOwners owners;
    private final Executor executor;

    ListCreditsMethod(Waits waits, CreditFeed feed, CreditOwners owners, Executor executor) {
        super(
                "list_credits",
                "What the daemon's addresses were paid, in an order that never changes; with a cursor, nothing is missed or told twice.",
                Params.class,
                Result.class);
        this.waits = waits;
        this.feed = feed;
        this.owners = owners;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        int limit = (int) limit(params.limit());
        long depth = params.minConfirmations().orElse(0);
        boolean fromNow = fromNow(params);
        return requireOwned(params.address())
                .thenComposeAsync(owned -> feed.store(), executor)
                .thenComposeAsync(
                        store -> fromNow
                                ? onlyCursor(depth, params.address())
                                : from(params, store, depth, limit, context),
                        executor);
    }

    private CompletionStage<Result> from(Params params, String store, long depth, int limit, CallContext context) {
        CompletionStage<CreditCursor> start = params.cursor().isPresent()
                ? CompletableFuture.completedStage(cursor(params, store, depth))
                : feed.beginning(depth, params.address());
        return start.thenComposeAsync(cursor -> read(params, cursor, limit, context), executor);
    }

    private static long limit(OptionalLong asked) {
        long limit = asked.orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MOST) {
            throw RpcException.invalidParams("limit is 1 to " + MOST);
        }
        return limit;
    }

    private static boolean fromNow(Params params) {
        if (params.from().isEmpty()) {
            return false;
        }
        if (!params.from().get().equals("now") || params.cursor().isPresent()) {
            throw RpcException.invalidParams("from is 'now', and not given together with a cursor");
        }
        return true;
    }

    private CompletionStage<Boolean> requireOwned(Optional<Address> address) {
        if (address.isEmpty()) {
            return CompletableFuture.completedStage(true);
        }
        return owners.owns(address.get())
                .thenApplyAsync(
                        owned -> {
                            if (!owned) {
                                throw new RpcException(
                                        ErrorCode.WALLET_NOT_FOUND, "the keyring has no address " + address.get());
                            }
                            return true;
                        },
                        executor);
    }

    private static CreditCursor cursor(Params params, String store, long depth) {
        return CreditCursor.parse(params.cursor().get(), store, depth, params.address())
                .orElseThrow(() -> RpcException.invalidParams(
                        "the cursor is of other books, or of calls with another address or min_confirmations"));
    }

    private CompletionStage<Result> onlyCursor(long depth, Optional<Address> address) {
        return feed.now(depth, address).thenApplyAsync(cursor -> new Result(List.of(), cursor.text(), false), executor);
    }

    private CompletionStage<Result> read(Params params, CreditCursor cursor, int limit, CallContext context) {
        Duration time = params.waitSecs().isEmpty() ? Duration.ZERO : time(params.waitSecs());
        return waits.forCredits(cursor, params.includeChange().orElse(false), limit, time, context.gone())
                .handleAsync((batch, failure) -> result(PrunedCursors.read(batch, failure)), executor);
    }

    private Result result(CreditFeed.Batch batch) {
        boolean verified = owners.isVerified();
        return new Result(
                batch.events().stream()
                        .map(event -> CreditView.of(event, batch.tipHeight(), owners.maturity(), verified))
                        .toList(),
                batch.cursor().text(),
                batch.more());
    }
}
