package org.chainwalletd.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.wire.AmountOrMax;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.Title;

/** Methods of the payout queue, which pays many recipients in few transactions, each payout exactly once. */
public final class Payouts {
    private static final long MOST_SECONDS = 600;

    private Payouts() {}

    /** Requested payment. */
    @Title("PayoutOrder")
    public record Order(
            @Doc(
                    "8 to 128 printable ASCII characters, bound to this payment for ever; in one namespace with client_token")
            String payoutId,

            @Doc("recipient's address, 64 hex characters") Address to,
            @Doc("base units, at least 200") Amount amount,

            @Doc("hex, at most 64 bytes, attached to the output")
            Optional<Bytes> datum,

            @Doc("for you, at most 256 bytes; stays in the daemon, where every read token sees it")
            Optional<String> memo) {
        public static Order of(String payoutId, Address to, Amount amount) {
            return new Order(payoutId, to, amount, Optional.empty(), Optional.empty());
        }
    }

    /** Paying addresses; exactly one of the two is set. */
    @Title("PayoutSource")
    public record Source(
            @Doc("keys of this daemon") Optional<List<Address>> addresses,

            @Doc("all keys of this daemon that have this label now")
            Optional<String> label) {
        public static Source of(List<Address> addresses) {
            return new Source(Optional.of(addresses), Optional.empty());
        }

        public static Source ofLabel(String label) {
            return new Source(Optional.empty(), Optional.of(label));
        }

        /** Text for the audit line: the addresses, or the label with a prefix. */
        List<String> words() {
            return label.map(name -> List.of("label:" + name))
                    .orElseGet(() -> addresses.orElse(List.of()).stream()
                            .map(Address::hex)
                            .toList());
        }
    }

    /** Payout with its progress. */
    public record Payout(
            String payoutId,
            Address to,
            Amount amount,
            Optional<Bytes> datum,

            @Doc("queued, in_flight, confirmed, final, held or cancelled")
            String state,

            @Doc(
                    "of a queued one: coins, next_block, node_quota, allowance, node or paused; absent when it is about to be paid")
            Optional<String> waitingFor,

            @Doc("transactions that it was part of, the newest last")
            List<Hash256> attempts,

            @Doc("in the newest transaction; absent while none carries it")
            OptionalLong outputIndex,

            @Doc("absent while no block has it") OptionalLong blockHeight,
            @Doc("on the followed chain") long confirmations,

            @Doc("its part of the transaction's fee; the parts add up to the fee")
            Optional<Amount> feeShare,

            Optional<String> memo,

            @Doc("of the token that submitted it; absent for a classic token")
            Optional<String> tokenName,

            @Doc("milliseconds since 1970") long submittedAt,
            @Doc("milliseconds since 1970") long changedAt) {}

    @Method(
            name = "payout_submit",
            scope = Scope.SPEND,
            summary =
                    "Queues payouts, all or none of them, durably before the answer; the daemon pays each exactly once. An id that is"
                            + " there already with the same payment answers its record.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.UPSTREAM,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED
            },
            repeatable = true)
    public record PayoutSubmit(
            @Doc("1 to 1000") List<Order> payouts,

            @Doc("which addresses pay; required unless --payout-from names them")
            Optional<Source> from)
            implements Call<PayoutSubmit.Result>, Audited {
        @Override
        public Optional<Payees> payees() {
            return Optional.of(new Payees(
                    from.map(Source::words).orElse(List.of()),
                    payouts.stream()
                            .map(order -> new Recipient(order.to().hex(), AmountOrMax.of(order.amount())))
                            .toList()));
        }

        @Override
        public List<String> payoutIds() {
            return payouts.stream().map(Order::payoutId).toList();
        }

        public static PayoutSubmit of(List<Order> payouts, List<Address> from) {
            return new PayoutSubmit(payouts, Optional.of(Source.of(from)));
        }

        public record Result(
                @Doc("in the order of the call") List<Payout> payouts) {}
    }

    @Method(name = "payout_get", scope = Scope.READ, summary = "One payout of the queue by its id.")
    public record PayoutGet(String payoutId) implements Call<PayoutGet.Result> {
        public record Result(
                @Doc("null when the id is not known") @OrNull
                Optional<Payout> payout) {}
    }

    @Method(
            name = "payout_list",
            scope = Scope.READ,
            summary = "Payouts in the order in which they were submitted, in pages.")
    public record PayoutList(
            @Doc("queued, in_flight, confirmed, final, held or cancelled; default all")
            Optional<String> state,

            @Doc("only queued ones that wait for this: coins, next_block, node_quota, allowance, node or paused")
            Optional<String> waitingFor,

            @Doc("of an earlier answer: the list goes on behind its last payout, with the filters of this call")
            Optional<String> cursor,

            @Doc("default 100, at most 1000") OptionalLong limit)
            implements Call<PayoutList.Result> {
        public static PayoutList of() {
            return new PayoutList(Optional.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty());
        }

        public PayoutList withState(String changed) {
            return new PayoutList(Optional.of(changed), waitingFor, cursor, limit);
        }

        public PayoutList withCursor(String changed) {
            return new PayoutList(state, waitingFor, Optional.of(changed), limit);
        }

        public record Result(
                List<Payout> payouts,

                @Doc("absent on the last page") Optional<String> cursor,
                boolean more) {}
    }

    @Method(
            name = "payout_changes",
            scope = Scope.READ,
            summary =
                    "Payouts in the order in which they changed last, each once; with the cursor of the answer before, no change is missed.",
            longPoll = true)
    public record PayoutChanges(
            @Doc("of an earlier answer; without it from the beginning")
            Optional<String> cursor,

            @Doc("default 100, at most 1000") OptionalLong limit,

            @Doc("how long to wait for the first change; default 0, at most 600")
            OptionalLong waitSecs)
            implements Call<PayoutChanges.Result> {
        public static PayoutChanges of() {
            return new PayoutChanges(Optional.empty(), OptionalLong.empty(), OptionalLong.empty());
        }

        public PayoutChanges withCursor(String changed) {
            return new PayoutChanges(Optional.of(changed), limit, waitSecs);
        }

        public PayoutChanges withWaitSecs(long changed) {
            return new PayoutChanges(cursor, limit, OptionalLong.of(changed));
        }

        @Override
        public Duration waits() {
            long seconds = waitSecs.orElse(0);
            return Duration.ofSeconds(U64.compare(seconds, MOST_SECONDS) < 0 ? seconds : MOST_SECONDS);
        }

        public record Result(
                List<Payout> payouts,
                @Doc("for the next call; valid for ever") String cursor,
                boolean more) {}
    }

    @Method(
            name = "payout_cancel",
            scope = Scope.SPEND,
            summary =
                    "Cancels payouts that are queued or held, for ever. What is in flight by now is left as it is: the answer tells.",
            errors = ErrorCode.UPSTREAM,
            repeatable = true)
    public record PayoutCancel(@Doc("1 to 1000") List<String> payoutIds) implements Call<PayoutCancel.Result>, Audited {
        public record Result(
                @Doc("in the order of the call") List<Payout> payouts) {}
    }

    @Method(
            name = "payout_release",
            scope = Scope.MANAGE,
            summary =
                    "Queues payouts again that are held since the store was restored, or since their token has ended.",
            errors = ErrorCode.UPSTREAM,
            repeatable = true,
            background = true)
    public record PayoutRelease(@Doc("1 to 1000") List<String> payoutIds)
            implements Call<PayoutRelease.Result>, Audited {
        public record Result(
                @Doc("in the order of the call") List<Payout> payouts) {}
    }

    @Method(
            name = "payout_pause",
            scope = Scope.MANAGE,
            summary = "Makes no more batches until payout_resume, also after a restart. What is in flight goes on.",
            errors = ErrorCode.UPSTREAM,
            repeatable = true)
    public record PayoutPause() implements Call<PayoutPause.Result> {
        public record Result(boolean paused) {}
    }

    @Method(
            name = "payout_resume",
            scope = Scope.MANAGE,
            summary = "Makes batches again.",
            errors = ErrorCode.UPSTREAM,
            repeatable = true)
    public record PayoutResume() implements Call<PayoutResume.Result> {
        public record Result(boolean paused) {}
    }

    @Method(
            name = "payout_recall",
            scope = Scope.MANAGE,
            summary =
                    "Gives a batch up by spending one of its inputs back to its own address; the batch is not sent again. Either may be"
                            + " mined; when the recall is final its payouts are queued again.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.ALLOWANCE_EXCEEDED},
            repeatable = true,
            background = true)
    public record PayoutRecall(
            @Doc("of the batch, as attempts of its payouts tell it")
            Hash256 txId,

            @Doc("base units per 100 cost units, at least 1; default 1, which no spend cap refuses")
            OptionalLong feeRate)
            implements Call<PayoutRecall.Result> {
        public record Result(
                Hash256 txId,

                @Doc("of the transaction that spends the input back; the same whenever the call is repeated")
                Hash256 recallTxId) {}
    }
}
