package org.chainwalletd.rpc.method;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Payouts.Order;
import org.chainwalletd.api.Payouts.Payout;
import org.chainwalletd.api.Payouts.PayoutCancel;
import org.chainwalletd.api.Payouts.PayoutChanges;
import org.chainwalletd.api.Payouts.PayoutGet;
import org.chainwalletd.api.Payouts.PayoutList;
import org.chainwalletd.api.Payouts.PayoutPause;
import org.chainwalletd.api.Payouts.PayoutRecall;
import org.chainwalletd.api.Payouts.PayoutRelease;
import org.chainwalletd.api.Payouts.PayoutResume;
import org.chainwalletd.api.Payouts.PayoutSubmit;
import org.chainwalletd.api.Payouts.Source;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.payout.Payouts;
import org.chainwalletd.payout.WaitingFor;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Change;
import org.chainwalletd.store.PayoutStore.Changes;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Position;
import org.chainwalletd.store.PayoutStore.State;

/**
 * Handlers of the methods of {@link org.chainwalletd.api.Payouts}.
 *
 * @param keys keys of this daemon
 * @param from paying addresses, used when a call names none; if empty, each call must name them
 */
public record PayoutMethods(Payouts payouts, Supplier<List<KeyEntry>> keys, List<Address> from, Executor executor) {
    private static final int MAX_DATUM_BYTES = 64;
    private static final int MAX_SOURCES = 1_000;
    private static final int DEFAULT_LIMIT = 100;

    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(PayoutSubmit.class, this::submit),
                RpcMethod.of(
                        PayoutGet.class,
                        call -> payouts.find(call.payoutId()),
                        found -> new PayoutGet.Result(found.map(this::record)),
                        executor),
                RpcMethod.of(PayoutList.class, this::list),
                RpcMethod.of(PayoutChanges.class, this::changes),
                RpcMethod.of(PayoutCancel.class, this::cancel),
                RpcMethod.of(PayoutRelease.class, this::release),
                RpcMethod.of(PayoutPause.class, call -> paused(true), PayoutPause.Result::new, executor),
                RpcMethod.of(PayoutResume.class, call -> paused(false), PayoutResume.Result::new, executor),
                RpcMethod.of(PayoutRecall.class, this::recall));
    }

    private CompletionStage<PayoutSubmit.Result> submit(PayoutSubmit call, CallContext context) {
        requireCount("payouts", call.payouts().size());
        List<PayoutStore.Order> orders =
                call.payouts().stream().map(PayoutMethods::order).toList();
        Grant grant = context.grant();
        return payouts.submit(orders, admission(call.from(), grant), grant.owner())
                .thenApplyAsync(accepted -> new PayoutSubmit.Result(records(accepted)), executor);
    }

    private Payouts.Admission admission(Optional<Source> source, Grant grant) {
        return new Payouts.Admission() {
            @Override
            public List<Address> from() {
                return PayoutMethods.this.from(source);
            }

            @Override
            public void requireAllowed(PayoutStore.Order order, List<Address> from) {
                for (Address payer : from) {
                    refuse(grant.objectionTo(payer, List.of(order.to()), Amount.ZERO));
                }
                refuse(grant.objectionTo(payouts.leastLeaving(order)));
            }
        };
    }

    private static void refuse(Optional<RefusedException.Refusal> objection) {
        objection.ifPresent(refusal -> {
            throw new RefusedException(refusal);
        });
    }

    private static void requireCount(String name, int count) {
        if (count < 1 || count > PayoutStore.MOST_AT_ONCE) {
            throw RefusedException.invalidParams(
                    "`" + name + "` must have 1 to " + PayoutStore.MOST_AT_ONCE + " items");
        }
    }

    private static PayoutStore.Order order(Order order) {
        requireId(order.payoutId());
        if (order.datum().filter(datum -> datum.length() > MAX_DATUM_BYTES).isPresent()) {
            throw RefusedException.invalidParams("`datum` of a payout must have at most " + MAX_DATUM_BYTES + " bytes");
        }
        return new PayoutStore.Order(
                order.payoutId(), order.to(), order.amount(), order.datum(), SpendOptions.memo(order.memo()));
    }

    private static void requireId(String payoutId) {
        if (!SpendOptions.isToken(payoutId)) {
            throw RefusedException.invalidParams("`payout_id` must have " + SpendOptions.LENGTHS);
        }
    }

    /** Returns the paying addresses, sorted and without duplicates, so that the same sources form one group. */
    private List<Address> from(Optional<Source> source) {
        if (source.isEmpty()) {
            if (from.isEmpty()) {
                throw RefusedException.invalidParams(
                        "`from` is required: the addresses that pay, unless --payout-from names them");
            }
            return owned(from);
        }
        return owned(named(source.get(), keys.get()));
    }

    /** Returns the addresses that a call names, individually or by their label. */
    static List<Address> named(Source source, List<KeyEntry> keys) {
        if (source.addresses().isPresent() == source.label().isPresent()) {
            throw RefusedException.invalidParams("`from` must have either `addresses` or `label`");
        }
        if (source.addresses().isPresent()) {
            return source.addresses().get();
        }
        List<Address> labelled = keys.stream()
                .filter(key -> key.label().equals(source.label()))
                .map(KeyEntry::address)
                .toList();
        if (labelled.isEmpty()) {
            throw new RefusedException(ErrorCode.WALLET_NOT_FOUND, "no address has the label of `from`");
        }
        return labelled;
    }

    private List<Address> owned(List<Address> addresses) {
        if (addresses.isEmpty() || addresses.size() > MAX_SOURCES) {
            throw RefusedException.invalidParams("`from` must name 1 to " + MAX_SOURCES + " addresses");
        }
        requireOwn(addresses, keys.get());
        return addresses.stream()
                .distinct()
                .sorted(Comparator.comparing(Address::hex))
                .toList();
    }

    static void requireOwn(List<Address> addresses, List<KeyEntry> keys) {
        Set<Address> own = keys.stream().map(KeyEntry::address).collect(Collectors.toCollection(HashSet::new));
        for (Address address : addresses) {
            if (!own.contains(address)) {
                throw new SpendException(new SpendRefusal.WalletNotFound(address));
            }
        }
    }

    private CompletionStage<PayoutList.Result> list(PayoutList call) {
        int limit = limit(call.limit());
        Optional<State> state = call.state().map(word -> word("state", word, State.values()));
        Optional<WaitingFor> waits = call.waitingFor().map(word -> word("waiting_for", word, WaitingFor.values()));
        if (waits.isPresent() && state.filter(given -> given != State.QUEUED).isPresent()) {
            throw RefusedException.invalidParams("`waiting_for` is of payouts in the state queued");
        }
        long after = call.cursor().map(PayoutMethods::number).orElse(0L);
        return payouts.list(state, waits, after, limit + 1)
                .thenApplyAsync(
                        found -> {
                            boolean more = found.size() > limit;
                            List<PayoutStore.Payout> page = more ? found.subList(0, limit) : found;
                            return new PayoutList.Result(
                                    records(page),
                                    more
                                            ? Optional.of(Long.toString(
                                                    page.get(limit - 1).number()))
                                            : Optional.empty(),
                                    more);
                        },
                        executor);
    }

    private static <E extends Enum<E>> E word(String name, String word, E[] all) {
        return Arrays.stream(all)
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(word))
                .findFirst()
                .orElseThrow(() -> RefusedException.invalidParams("`" + name + "` must be one of "
                        + Arrays.stream(all)
                                .map(each -> each.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))));
    }

    private static int limit(OptionalLong asked) {
        long limit = asked.orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > PayoutStore.MOST_AT_ONCE) {
            throw RefusedException.invalidParams("`limit` must be 1 to " + PayoutStore.MOST_AT_ONCE);
        }
        return (int) limit;
    }

    /** Parses a cursor of {@code payout_list}; accepts only text written by {@link #list}. */
    private static long number(String cursor) {
        try {
            long number = Long.parseLong(cursor);
            if (number > 0 && Long.toString(number).equals(cursor)) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw badCursor();
        }
        throw badCursor();
    }

    private static RefusedException badCursor() {
        return RefusedException.invalidParams("`cursor` must be that of an earlier answer of this method");
    }

    private CompletionStage<PayoutChanges.Result> changes(PayoutChanges call, CallContext context) {
        Position after = call.cursor().map(PayoutMethods::position).orElse(PayoutStore.BEGINNING);
        return payouts.changes(after, limit(call.limit()), call.waits(), context.callerLeft())
                .thenApplyAsync(
                        (Changes read) ->
                                new PayoutChanges.Result(records(read.payouts()), text(read.next()), read.more()),
                        executor);
    }

    private static String text(Position position) {
        return Long.toHexString(position.generation()) + "-" + position.change() + "-" + position.number();
    }

    private static Position position(String cursor) {
        String[] parts = cursor.split("-");
        if (parts.length != 3) {
            throw badCursor();
        }
        try {
            Position position = new Position(
                    Long.parseUnsignedLong(parts[0], 16), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
            if (text(position).equals(cursor)) {
                return position;
            }
        } catch (NumberFormatException e) {
            throw badCursor();
        }
        throw badCursor();
    }

    private CompletionStage<PayoutCancel.Result> cancel(PayoutCancel call, CallContext context) {
        requireCount("payout_ids", call.payoutIds().size());
        return SpendErrors.certain(
                        payouts.cancel(call.payoutIds(), claimant(context)), "the payouts are cancelled", executor)
                .thenApplyAsync(change -> new PayoutCancel.Result(done(change, context)), executor);
    }

    private CompletionStage<PayoutRelease.Result> release(PayoutRelease call, CallContext context) {
        requireCount("payout_ids", call.payoutIds().size());
        return SpendErrors.certain(
                        payouts.release(call.payoutIds(), claimant(context)), "the payouts are released", executor)
                .thenApplyAsync(change -> new PayoutRelease.Result(done(change, context)), executor);
    }

    /** Restricts a caller whose token limits its spending to its own payouts. */
    private static Claimant claimant(CallContext context) {
        Grant grant = context.grant();
        return grant.policy().restrictsMoney() ? new Claimant(grant.owner()) : Claimant.ANYBODY;
    }

    private List<Payout> done(Change change, CallContext context) {
        if (change instanceof Change.Unknown unknown) {
            throw RefusedException.invalidParams("there is no payout " + unknown.payoutId() + "; nothing was changed");
        }
        if (change instanceof Change.Foreign foreign) {
            String name = context.grant().name();
            throw new RefusedException(
                    ErrorCode.POLICY_REFUSED,
                    "policy of token " + name + ": the payout " + foreign.payoutId() + " is not its own",
                    new Grant.PolicyData(name, "own_payouts", foreign.payoutId(), name));
        }
        return records(((Change.Done) change).payouts());
    }

    private CompletionStage<Boolean> paused(boolean paused) {
        String done = paused ? "the queue is paused" : "the queue is resumed";
        return SpendErrors.certain(payouts.pause(paused), done, executor).thenApplyAsync(any -> paused, executor);
    }

    private CompletionStage<PayoutRecall.Result> recall(PayoutRecall call) {
        if (call.feeRate().isPresent() && call.feeRate().getAsLong() == 0) {
            throw RefusedException.invalidParams("`fee_rate` must be at least 1");
        }
        return payouts.recall(call.txId(), SpendOptions.fee(call.feeRate(), Optional.empty()))
                .thenApplyAsync(recall -> new PayoutRecall.Result(recall.batch(), recall.recall()), executor);
    }

    private List<Payout> records(List<PayoutStore.Payout> payouts) {
        return payouts.stream().map(this::record).toList();
    }

    private Payout record(PayoutStore.Payout payout) {
        return new Payout(
                payout.order().payoutId(),
                payout.order().to(),
                payout.order().amount(),
                payout.order().datum(),
                payout.state().name().toLowerCase(Locale.ROOT),
                payouts.waitsFor(payout).map(WaitingFor::word),
                payout.attempts(),
                payout.outputIndex().isPresent()
                        ? OptionalLong.of(payout.outputIndex().getAsInt())
                        : OptionalLong.empty(),
                payout.height(),
                payouts.confirmations(payout),
                payout.feeShare(),
                payout.order().memo(),
                payout.owner(),
                payout.submittedAt(),
                payout.changedAt());
    }
}
