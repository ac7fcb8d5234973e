package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.Title;

/** Methods that list the daemon's payments, and keep memos and labels (payments.md, section 2). Amounts and fees are base units. */
public final class OwnPayments {
    private static final String MEMO = "at most 256 bytes of UTF-8; empty erases";

    private OwnPayments() {}

    /** Method that requested a spend. */
    @Title("SpendKind")
    public enum Kind {
        TRANSFER,
        RAW,
        HTLC_LOCK,
        HTLC_CLAIM,
        HTLC_RECLAIM,
        PAYOUT_BATCH,
        SWEEP,
        SWAP
    }

    /** State of a spend. */
    @Title("SpendState")
    public enum State {
        /** Durable; unknown whether any node has it. */
        PREPARED,
        /** In a mempool. */
        ACCEPTED,
        CONFIRMED,
        REFUSED,
        CONFLICTED,
        ABANDONED,
        CONTESTED
    }

    /** Output of an own payment. */
    public record SentOutput(
            @Doc("null for an output that is locked by a script, as an HTLC is") @OrNull
            Optional<Address> to,

            Amount amount,
            boolean isChange) {}

    /** Payment of the daemon. Values that an older release did not store, or that were dropped after 400 days, are null. */
    public record OwnSpend(
            @Doc("number for life, in the order in which spends were decided on")
            long spendId,

            @Doc("as its caller wrote it") @OrNull Optional<String> clientToken,
            Kind kind,
            State state,
            Hash256 txId,

            @Doc("of a raw transaction who has signed its first plain input") @OrNull
            Optional<Address> from,

            @Doc("null for a batch of payouts, and for a raw transaction with more than 250") @OrNull
            Optional<List<SentOutput>> outputs,

            @Doc("only where `outputs` is null for that reason")
            OptionalLong outputCount,

            @Doc("what the outputs pay, without change") @OrNull
            Optional<Amount> amount,

            @Doc("effective, with folded sub-dust change; null for a raw transaction") @OrNull
            Optional<Amount> fee,

            @Doc("null also while it is in no block") @OrNull
            OptionalLong blockHeight,

            @Doc(
                    "0 while it is in no block, null while that is not known, which is so for a raw transaction until a block that pays or spends from a watched address has it")
            @OrNull
            OptionalLong confirmations,

            @Doc("seconds since 1970") @OrNull OptionalLong createdAt,

            @Doc("of the state, seconds since 1970; of a raw transaction the last send")
            long changedAt,

            @Doc(
                    "of the access token that asked for it: `spend` for the classic one; null for what the daemon does by itself")
            @OrNull
            Optional<String> tokenName,

            @OrNull Optional<String> memo) {}

    @Method(
            name = "list_spends",
            scope = Scope.READ,
            summary =
                    "Every payment that the daemon has decided on, and every transaction that it has passed on, page by page in an"
                            + " order that never changes, whatever became of it.")
    public record ListSpends(
            @Doc(
                    "of an earlier answer: the list goes on behind it, with the filters of this call; without it the list begins with the first payment")
            Optional<String> cursor,

            @Doc("default 100, at most 1000") OptionalLong limit,
            Optional<Kind> kind,
            Optional<State> state,

            @Doc(
                    "only those that this address pays, or that pay it; a part of a sweep is found by every address whose coins it spends")
            Optional<Address> address,

            Optional<String> tokenName,

            @Doc("created at this time or later, seconds since 1970")
            OptionalLong since,

            @Doc("created before this time, seconds since 1970")
            OptionalLong until)
            implements Call<ListSpends.Result> {
        /** Lists all spends, starting with the first. */
        public static ListSpends of() {
            return new ListSpends(
                    Optional.empty(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty());
        }

        public ListSpends withCursor(String changed) {
            return new ListSpends(Optional.of(changed), limit, kind, state, address, tokenName, since, until);
        }

        public ListSpends withLimit(long changed) {
            return new ListSpends(cursor, OptionalLong.of(changed), kind, state, address, tokenName, since, until);
        }

        public ListSpends withKind(Kind changed) {
            return new ListSpends(cursor, limit, Optional.of(changed), state, address, tokenName, since, until);
        }

        public ListSpends withState(State changed) {
            return new ListSpends(cursor, limit, kind, Optional.of(changed), address, tokenName, since, until);
        }

        public ListSpends withAddress(Address changed) {
            return new ListSpends(cursor, limit, kind, state, Optional.of(changed), tokenName, since, until);
        }

        public ListSpends withTokenName(String changed) {
            return new ListSpends(cursor, limit, kind, state, address, Optional.of(changed), since, until);
        }

        /**
         * @param from seconds since 1970, inclusive
         * @param to seconds since 1970, exclusive
         */
        public ListSpends between(long from, long to) {
            return new ListSpends(
                    cursor, limit, kind, state, address, tokenName, OptionalLong.of(from), OptionalLong.of(to));
        }

        public record Result(
                List<OwnSpend> spends,

                @Doc("behind what was told, for the next call; valid for ever")
                String cursor,

                @Doc("whether there may be more now; a page may be empty and have more behind it")
                boolean more) {}
    }

    @Method(
            name = "get_spend",
            scope = Scope.READ,
            summary = "One payment of the daemon by its client_token, its transaction or its number.")
    public record GetSpend(
            @Doc("of several payments the one that a block has, otherwise the newest")
            Optional<String> clientToken,

            Optional<Hash256> txId,
            OptionalLong spendId)
            implements Call<GetSpend.Result> {
        public static GetSpend ofToken(String clientToken) {
            return new GetSpend(Optional.of(clientToken), Optional.empty(), OptionalLong.empty());
        }

        public static GetSpend ofTransaction(Hash256 txId) {
            return new GetSpend(Optional.empty(), Optional.of(txId), OptionalLong.empty());
        }

        public static GetSpend ofNumber(long spendId) {
            return new GetSpend(Optional.empty(), Optional.empty(), OptionalLong.of(spendId));
        }

        public record Result(
                @Doc("null when there is none") @OrNull Optional<OwnSpend> spend) {}
    }

    @Method(
            name = "set_memo",
            scope = Scope.MANAGE,
            summary = "Changes the memo of a payment. Every read token sees it; it is in no log and no metric.")
    public record SetMemo(long spendId, @Doc(MEMO) String memo) implements Call<SetMemo.Result> {
        public record Result(long spendId, @OrNull Optional<String> memo) {}
    }

    @Method(
            name = "set_label",
            scope = Scope.MANAGE,
            summary = "Changes the label of an address.",
            errors = ErrorCode.WALLET_NOT_FOUND)
    public record SetLabel(
            Address address,

            @Doc("at most 256 bytes of UTF-8 without control characters; empty erases")
            String label) implements Call<SetLabel.Result> {
        public record Result(Address address, @OrNull Optional<String> label) {}
    }
}
