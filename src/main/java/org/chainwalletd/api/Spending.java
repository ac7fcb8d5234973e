package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.AmountOrMax;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.Inline;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.Title;
import org.chainwalletd.wire.U32;

/** Methods that move money, and the operator's caps (interface.md, section 4.7). Amounts and fees are base units. */
public final class Spending {
    private Spending() {}

    /** Recipient of a payment. {@code to} is parsed only after the number of outputs was checked. */
    public record Output(
            @Doc("recipient's address, 64 hex characters") String to,

            @Doc(
                    "base units, at least 200. `max` for a single output: the most that one transaction can move from free coins, within max_fee")
            AmountOrMax amount) {
        public static Output of(Address to, Amount amount) {
            return new Output(to.hex(), AmountOrMax.of(amount));
        }

        /** Creates the only output, which receives the maximum that one transaction can move. */
        public static Output max(Address to) {
            return new Output(to.hex(), AmountOrMax.MAX);
        }
    }

    /** Parameters common to a payment and its simulation. */
    public record Payment(
            @Doc("sender's address, a key of this daemon") Address from,
            @Doc("1 to 16 recipients") List<Output> outputs,

            @Doc("base units per 100 cost units; 1 is the consensus minimum and the default")
            OptionalLong feeRate,

            @Doc("absolute fee in base units; raised to the consensus minimum")
            Optional<Amount> fee,

            @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee,

            @Doc("hex, at most 4096 bytes, attached to the first output")
            Optional<String> datum) {
        /** Creates a payment at the minimum fee rate. */
        public static Payment of(Address from, List<Output> outputs) {
            return new Payment(
                    from, outputs, OptionalLong.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        }

        public Payment withFeeRate(long changed) {
            return new Payment(from, outputs, OptionalLong.of(changed), fee, maxFee, datum);
        }

        public Payment withFee(Amount changed) {
            return new Payment(from, outputs, feeRate, Optional.of(changed), maxFee, datum);
        }

        public Payment withMaxFee(Amount changed) {
            return new Payment(from, outputs, feeRate, fee, Optional.of(changed), datum);
        }

        public Payment withDatum(Bytes changed) {
            return new Payment(from, outputs, feeRate, fee, maxFee, Optional.of(changed.hex()));
        }
    }

    /** Coin spent by a transaction. */
    public record Input(Hash256 txId, @U32 long outputIndex, Amount value) {}

    /** Output created by a transaction. */
    public record PaidOutput(Address to, Amount amount, boolean isChange) {}

    @Method(
            name = "transfer",
            scope = Scope.SPEND,
            summary =
                    "Builds, signs and broadcasts a payment to up to 16 recipients; change returns to the sender. With a"
                            + " client_token a repeated call settles the same payment and never makes a second one.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.KEYSTORE_LOCKED,
                ErrorCode.UPSTREAM,
                ErrorCode.DOUBLE_SPEND,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.TOO_MANY_OUTPUTS,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            })
    public record Transfer(
            @Inline Payment payment,

            @Doc("8 to 128 printable ASCII characters; the same token never pays twice")
            Optional<String> clientToken,

            @Doc(
                    "at most 256 bytes, for list_spends; no part of the spend, so a repeated token may come with another one")
            Optional<String> memo)
            implements Spend<Transfer.Result> {
        @Override
        public Optional<String> idempotencyToken() {
            return clientToken;
        }

        /** Creates a call that pays at most once, however often it is repeated with this token. */
        public Transfer(Payment payment, String clientToken) {
            this(payment, Optional.of(clientToken), Optional.empty());
        }

        @Override
        public Optional<Payees> payees() {
            return Optional.of(new Payees(
                    payment.from(),
                    payment.outputs().stream()
                            .map(output -> new Recipient(output.to(), output.amount()))
                            .toList()));
        }

        public Transfer withMemo(String changed) {
            return new Transfer(payment, clientToken, Optional.of(changed));
        }

        public record Result(
                Hash256 txId,
                long size,

                @Doc("effective, with folded sub-dust change")
                Amount fee,

                @Doc("fee * 100 / cost") long feeRate,
                List<Input> inputs,
                List<PaidOutput> outputs,
                @Doc("tip when the coins were listed") long builtAtHeight) {}
    }

    @Method(
            name = "simulate_transfer",
            scope = Scope.READ,
            summary = "Selects and prices a transfer as it would be made now. Broadcasts and reserves nothing; takes no"
                    + " client_token.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.UPSTREAM,
                ErrorCode.TX_BUILD,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.DUST_OUTPUT,
                ErrorCode.TOO_MANY_OUTPUTS,
                ErrorCode.ALLOWANCE_EXCEEDED,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            })
    public record SimulateTransfer(@Inline Payment payment) implements Call<SimulateTransfer.Result> {
        public record Result(
                long size,

                @Doc("effective, with folded sub-dust change")
                Amount fee,

                @Doc("fee * 100 / cost") long feeRate,
                List<Input> inputs,
                List<PaidOutput> outputs,
                @Doc("total_out + fee") Amount totalIn,
                Amount totalOut,
                @Doc("0 if none") Amount change,
                @Doc("tip when the coins were listed") long builtAtHeight) {}
    }

    @Method(
            name = "sweep",
            scope = Scope.SPEND,
            summary =
                    "Moves every spendable coin of many addresses to one, about 100 coins a transaction. Which coins go in"
                            + " which transaction is durable before the first is sent; repeat the call with its client_token to"
                            + " go on after a failure, and to hear how each part stands.",
            errors = {
                ErrorCode.WALLET_NOT_FOUND,
                ErrorCode.UPSTREAM,
                ErrorCode.INSUFFICIENT_BALANCE,
                ErrorCode.FEE_TOO_HIGH,
                ErrorCode.IDEMPOTENCY_CONFLICT,
                ErrorCode.IN_FLIGHT_EXHAUSTED
            },
            background = true)
    public record Sweep(
            @Doc("addresses whose coins are moved, at most 10000; `to` itself is left out")
            Payouts.Source from,

            @Doc("recipient's address, 64 hex characters") Address to,

            @Doc(
                    "base units for each transaction; fewer coins go into one when it would cost more; default: no bound but 100 coins")
            Optional<Amount> maxFee,

            @Doc("8 to 128 printable ASCII characters, bound to this sweep for ever")
            String clientToken,

            @Doc("base units, 61 or more; smaller coins are left over; default 61")
            Optional<Amount> minValue,

            @Doc("at most 256 bytes, for list_spends") Optional<String> memo)
            implements Spend<Sweep.Result> {
        @Override
        public Optional<Payees> payees() {
            return Optional.of(new Payees(from.words(), List.of(new Recipient(to.hex(), AmountOrMax.MAX))));
        }

        public Sweep(Payouts.Source from, Address to, String clientToken) {
            this(from, to, Optional.empty(), clientToken, Optional.empty(), Optional.empty());
        }

        @Override
        public Optional<String> idempotencyToken() {
            return Optional.of(clientToken);
        }

        public Sweep withMaxFee(Amount changed) {
            return new Sweep(from, to, Optional.of(changed), clientToken, minValue, memo);
        }

        public Sweep withMinValue(Amount changed) {
            return new Sweep(from, to, maxFee, clientToken, Optional.of(changed), memo);
        }

        /** Transaction of a sweep. */
        @Title("SweepPart")
        public record Part(
                @U32 long part,

                @Doc(
                        "waiting, in_flight, confirmed, conflicted, refused, abandoned, stopped by sweep_stop, same_transaction when another spend has made this very transaction and the part never gets one, or closed when only its transaction is kept")
                String state,

                @Doc("absent while it waits") Optional<Hash256> txId,

                @Doc("only of same_transaction: number of the spend that has it, for get_spend")
                OptionalLong spendId,

                @Doc("coins that it moves") long coins,
                @Doc("base units that arrive") Amount amount,
                Amount fee,
                @Doc("absent while no block has it") OptionalLong blockHeight,

                @Doc("why it waits or has failed, in words") Optional<String> reason) {}

        /** Coins that are not moved, grouped by reason. */
        @Title("SweepLeftOver")
        public record LeftOver(
                @Doc(
                        "later (came after the coins were fixed, or above 10000 coins or 1000 transactions), too_small, held (by another spend or sweep), of_failed_part")
                String reason,

                long coins,
                @Doc("base units") Amount amount) {}

        public record Result(
                List<Part> spends,

                @Doc(
                        "why no further part is begun: a spend cap, for instance, until the call is repeated, or sweep_stop for ever; absent while nothing stops it")
                Optional<String> stopped,

                @Doc("absent while the daemon's own books cannot tell the coins of every address")
                Optional<List<LeftOver>> leftOver) {}
    }

    @Method(
            name = "get_sweep",
            scope = Scope.READ,
            summary = "How each part of a sweep stands, and what is left over, without going on with it.")
    public record GetSweep(
            @Doc("that the sweep was asked for with") String clientToken) implements Call<GetSweep.Result> {
        public record Result(
                @Doc("as `sweep` answers; null when no sweep has this client_token") @OrNull
                Optional<Sweep.Result> sweep) {}
    }

    @Method(
            name = "sweep_stop",
            scope = Scope.MANAGE,
            summary =
                    "Ends a sweep for ever: no part that waits is ever sent, also not when `sweep` is repeated. Parts that are in flight"
                            + " go on.",
            errors = ErrorCode.UPSTREAM,
            repeatable = true,
            background = true)
    public record SweepStop(
            @Doc("that the sweep was asked for with") String clientToken) implements Call<SweepStop.Result>, Audited {
        @Override
        public Optional<String> idempotencyToken() {
            return Optional.of(clientToken);
        }

        public record Result(@Doc("as `sweep` answers") Sweep.Result sweep) {}
    }

    @Method(
            name = "send_raw_transaction",
            scope = Scope.SPEND,
            summary =
                    "Broadcasts a transaction that was signed elsewhere. One that the node knows already counts as sent.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.DOUBLE_SPEND, ErrorCode.TX_BUILD})
    public record SendRawTransaction(
            @Doc("complete signed transaction") Bytes txHex) implements Call<SendRawTransaction.Result> {
        public record Result(Hash256 txId) {}
    }

    @Method(
            name = "abandon_transfer",
            scope = Scope.MANAGE,
            summary =
                    "Frees reserved outpoints of a transfer that the network never accepted, and stops sending it. Ask"
                            + " get_transaction first.",
            errors = ErrorCode.UPSTREAM,
            background = true)
    public record AbandonTransfer(
            @Doc("inputs of the transfer that the network never accepted")
            List<ReservedOutpoint> outpoints) implements Call<AbandonTransfer.Result> {
        public record ReservedOutpoint(Hash256 txId, @U32 long outputIndex) {}

        public record Result(
                @Doc("outpoints that were reserved and are free now") @U32
                long releasedCount,

                @Doc("outpoints that are still reserved") @U32
                long remainingInFlight) {}
    }

    @Method(
            name = "allowance_status",
            scope = Scope.READ,
            summary =
                    "The spend caps that the operator has set, what was spent in the current window, and what remains.")
    public record AllowanceStatus() implements Call<AllowanceStatus.Result> {
        public record Result(
                @Doc("absent without a cap") Optional<Amount> perTxLimit,
                @Doc("absent without a cap") Optional<Amount> perPeriodLimit,
                @Doc("length of the sliding window") long periodSecs,
                @Doc("within the window, fees included") Amount spent,
                @Doc("absent without a cap per period") Optional<Amount> remaining) {}
    }
}
