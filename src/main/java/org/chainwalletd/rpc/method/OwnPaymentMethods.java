package org.chainwalletd.rpc.method;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.api.OwnPayments.GetSpend;
import org.chainwalletd.api.OwnPayments.Kind;
import org.chainwalletd.api.OwnPayments.ListSpends;
import org.chainwalletd.api.OwnPayments.OwnSpend;
import org.chainwalletd.api.OwnPayments.SentOutput;
import org.chainwalletd.api.OwnPayments.SetMemo;
import org.chainwalletd.api.OwnPayments.State;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.U64;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.OwnPayment;
import org.chainwalletd.spend.RawSends;
import org.chainwalletd.spend.SealedClaims;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.TokenBinding;

/**
 * Handlers of the methods of {@link org.chainwalletd.api.OwnPayments} for payments.
 *
 * @param heights returns which merely forwarded and contested transactions are in blocks
 * @param tip height of the followed tip, if known
 */
public record OwnPaymentMethods(
        Supplier<SpendHistory> history, RawSends.Heights heights, Supplier<OptionalLong> tip, Executor executor) {
    private static final long DEFAULT_LIMIT = 100;
    private static final long MAX_LIMIT = 1_000;
    /** Maximum number of rows examined per call, so that a filter without matches does not occupy the store's reader for long. */
    private static final int MAX_EXAMINED = 10_000;

    private static final int ROWS_PER_READ = 500;
    /** Maximum size of the rows of a page in bytes, without brackets and cursor, so that a page is at most one MiB. */
    private static final long MAX_BYTES = (1 << 20) - 1_024;

    private static final String CURSOR = "s1.";

    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(ListSpends.class, this::list),
                RpcMethod.of(GetSpend.class, this::get),
                RpcMethod.of(SetMemo.class, this::setMemo));
    }

    private CompletionStage<ListSpends.Result> list(ListSpends call) {
        long limit = call.limit().orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw RefusedException.invalidParams("`limit` must be from 1 to " + MAX_LIMIT);
        }
        return more(new Page(call, (int) limit, tip.get()), after(call.cursor()));
    }

    private static long after(Optional<String> cursor) {
        if (cursor.isEmpty()) {
            return 0;
        }
        try {
            String text = cursor.get();
            long number = text.startsWith(CURSOR) ? Long.parseLong(text.substring(CURSOR.length())) : -1;
            if (number >= 0 && text.equals(CURSOR + number)) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Handled below.
        }
        throw RefusedException.invalidParams("`cursor` is none of list_spends");
    }

    private CompletionStage<ListSpends.Result> more(Page page, long after) {
        return history.get()
                .after(after, ROWS_PER_READ)
                .thenComposeAsync(found -> RawSends.placed(found, heights, executor), executor)
                .thenComposeAsync(
                        found -> payers(page, found)
                                .thenComposeAsync(
                                        payers -> page.take(found, payers)
                                                ? more(page, page.lastNumber)
                                                : CompletableFuture.completedFuture(page.result(after)),
                                        executor),
                        executor);
    }

    private CompletionStage<Map<Long, Set<Address>>> payers(Page page, List<PastSpend> found) {
        return page.call.address().isEmpty()
                ? CompletableFuture.completedFuture(Map.of())
                : history.get().payers(found.stream().filter(page::mayFit).toList());
    }

    /** Page that is being filled. */
    private static final class Page {
        private final ListSpends call;
        private final int limit;
        private final OptionalLong tip;
        private final List<OwnSpend> spends = new ArrayList<>();
        private long bytes;
        private int examined;
        /** Number of the last row that is in the page, or does not match the filters. */
        private long lastNumber = -1;

        private boolean more;

        Page(ListSpends call, int limit, OptionalLong tip) {
            this.call = call;
            this.limit = limit;
            this.tip = tip;
        }

        /**
         * Adds the matching rows; returns whether the page has room left and there may be more rows.
         *
         * @param payers addresses whose coins are spent by parts of sweeps, by number of the spend
         */
        boolean take(List<PastSpend> found, Map<Long, Set<Address>> payers) {
            for (PastSpend spend : found) {
                if (spends.size() == limit || examined == MAX_EXAMINED || !takes(spend, payers)) {
                    more = true;
                    return false;
                }
            }
            return found.size() == ROWS_PER_READ;
        }

        /** Adds a row if it matches the filters; returns whether it did not exceed the page. */
        private boolean takes(PastSpend past, Map<Long, Set<Address>> payers) {
            examined++;
            if (mayFit(past)) {
                OwnSpend spend = ownSpend(past, tip);
                if (fits(spend)
                        && call.address()
                                .filter(address -> !involves(past, address)
                                        && !payers.getOrDefault(past.number(), Set.of())
                                                .contains(address))
                                .isEmpty()) {
                    bytes += bytesAtMost(spend);
                    if (bytes > MAX_BYTES && !spends.isEmpty()) {
                        return false;
                    }
                    spends.add(spend);
                }
            }
            lastNumber = past.number();
            return true;
        }

        /** Whether a spend may match the filters, as far as can be decided without reading its transaction. */
        private boolean mayFit(PastSpend past) {
            return call.kind().filter(kind -> kind != kindOf(past)).isEmpty()
                    && call.state().filter(state -> state != stateOf(past)).isEmpty()
                    && call.tokenName()
                            .filter(name -> !past.details().tokenName().equals(Optional.of(name)))
                            .isEmpty();
        }

        private boolean fits(OwnSpend spend) {
            return call.since().isEmpty() && call.until().isEmpty()
                    || spend.createdAt().isPresent()
                            && spend.createdAt().getAsLong()
                                    >= U64.clamp(call.since().orElse(0))
                            && spend.createdAt().getAsLong()
                                    < U64.clamp(call.until().orElse(Long.MAX_VALUE));
        }

        /** Whether the address is the first payer or a recipient, including recipients of a batch, whose outputs are not listed. */
        private static boolean involves(PastSpend past, Address address) {
            OwnPayment payment = OwnPayment.of(past);
            return payment.from().filter(address::equals).isPresent()
                    || payment.outputs().stream()
                            .flatMap(List::stream)
                            .anyMatch(paid -> paid.output()
                                    .address()
                                    .filter(address::equals)
                                    .isPresent());
        }

        ListSpends.Result result(long after) {
            return new ListSpends.Result(spends, CURSOR + Math.max(lastNumber, after), more);
        }
    }

    /** Upper bound of the spend's size on the wire in bytes. */
    private static long bytesAtMost(OwnSpend spend) {
        long outputs = spend.outputs().map(List::size).orElse(0);
        long words = utf8(spend.memo()) + utf8(spend.clientToken());
        // A byte that is escaped as \u0000 takes six bytes.
        return 800 + 160 * outputs + 6 * words;
    }

    private static long utf8(Optional<String> text) {
        return text.map(words -> words.getBytes(StandardCharsets.UTF_8).length).orElse(0);
    }

    private static OwnSpend ownSpend(PastSpend past, OptionalLong tip) {
        OwnPayment payment = OwnPayment.of(past);
        Kind kind = kindOf(past);
        boolean batch = kind == Kind.PAYOUT_BATCH;
        boolean counted = batch || payment.outputs().isEmpty();
        return new OwnSpend(
                past.number(),
                past.clientToken().filter(TokenBinding::isOfCaller),
                kind,
                stateOf(past),
                past.txId(),
                payment.from(),
                batch
                        ? Optional.empty()
                        : payment.outputs()
                                .map(outputs -> outputs.stream()
                                        .map(paid -> new SentOutput(
                                                paid.output().address(),
                                                paid.output().value(),
                                                paid.change()))
                                        .toList()),
                counted && payment.outputCount().isPresent()
                        ? OptionalLong.of(payment.outputCount().getAsInt())
                        : OptionalLong.empty(),
                payment.amounts().amount(),
                payment.amounts().fee(),
                past.blockHeight(),
                confirmations(past, tip),
                past.createdAt().isPresent()
                        ? OptionalLong.of(past.createdAt().getAsLong() / 1_000)
                        : OptionalLong.empty(),
                past.changedAt() / 1_000,
                past.details().tokenName(),
                past.details().memo());
    }

    private static OptionalLong confirmations(PastSpend past, OptionalLong tip) {
        boolean contestedInBlock =
                past.state() == IntentState.CONTESTED && past.blockHeight().isPresent();
        if (past.state() != IntentState.CONFIRMED && !contestedInBlock) {
            return kindOf(past) == Kind.RAW ? OptionalLong.empty() : OptionalLong.of(0);
        }
        if (past.blockHeight().isEmpty() || tip.isEmpty()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(1, tip.getAsLong() - past.blockHeight().getAsLong() + 1));
    }

    private static State stateOf(PastSpend past) {
        return State.valueOf(past.state().name());
    }

    /** Returns the kind as reported to callers; the store has separate kinds for locks and refunds of swaps. */
    private static Kind kindOf(PastSpend past) {
        boolean ofSwap = past.kind().startsWith("swap")
                || past.clientToken()
                        .filter(token -> token.startsWith(SealedClaims.SWAP))
                        .isPresent();
        if (ofSwap) {
            return Kind.SWAP;
        }
        String word = past.kind().toUpperCase(Locale.ROOT);
        return word.startsWith("PAYOUT") ? Kind.PAYOUT_BATCH : Kind.valueOf(word);
    }

    private CompletionStage<GetSpend.Result> get(GetSpend call) {
        long given = Stream.of(
                        call.clientToken().isPresent(),
                        call.txId().isPresent(),
                        call.spendId().isPresent())
                .filter(present -> present)
                .count();
        if (given != 1) {
            throw RefusedException.invalidParams("give one of `client_token`, `tx_id` and `spend_id`");
        }
        return find(call)
                .thenComposeAsync(found -> RawSends.placed(found.stream().toList(), heights, executor), executor)
                .thenApplyAsync(
                        found -> new GetSpend.Result(
                                found.stream().findFirst().map(spend -> ownSpend(spend, tip.get()))),
                        executor);
    }

    private CompletionStage<Optional<PastSpend>> find(GetSpend call) {
        if (call.txId().isPresent()) {
            return history.get().ofTransaction(call.txId().get());
        }
        return call.spendId().isPresent()
                ? history.get().ofNumber(call.spendId().getAsLong())
                : SpendOptions.token(call.clientToken())
                        .map(history.get()::ofToken)
                        .orElseThrow();
    }

    private CompletionStage<SetMemo.Result> setMemo(SetMemo call) {
        Optional<String> memo = SpendOptions.memo(Optional.of(call.memo()));
        return history.get()
                .setMemo(call.spendId(), memo)
                .thenApplyAsync(
                        there -> {
                            if (!there) {
                                throw RefusedException.invalidParams("`spend_id` is none of list_spends");
                            }
                            return new SetMemo.Result(call.spendId(), memo);
                        },
                        executor);
    }
}
