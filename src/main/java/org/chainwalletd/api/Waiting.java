package org.chainwalletd.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/** Methods that wait for a transaction or a payment, and the feed of credits (interface.md, section 4.6; following.md, section 3). */
public final class Waiting {
    private static final long DEFAULT_TIMEOUT_SECONDS = 60;
    private static final long MOST_SECONDS = 600;

    private Waiting() {}

    private static Duration atMost(long seconds) {
        return Duration.ofSeconds(U64.compare(seconds, MOST_SECONDS) < 0 ? seconds : MOST_SECONDS);
    }

    @Method(
            name = "wait_for_tx",
            scope = Scope.READ,
            summary =
                    "Waits until a transaction has enough confirmations; one that is unknown or in the mempool is waited for.",
            errors = ErrorCode.WAIT_TIMEOUT,
            longPoll = true)
    public record WaitForTx(
            Hash256 txId,

            @Doc("default 1, which means in the tip's block; 0 is taken as 1") @U32
            OptionalLong minConfirmations,

            @Doc("default 60, at most 600; 0 tells what is so now")
            OptionalLong timeoutSecs)
            implements Call<WaitForTx.Result> {
        public static WaitForTx of(Hash256 txId) {
            return new WaitForTx(txId, OptionalLong.empty(), OptionalLong.empty());
        }

        public WaitForTx withMinConfirmations(long changed) {
            return new WaitForTx(txId, OptionalLong.of(changed), timeoutSecs);
        }

        public WaitForTx withTimeoutSecs(long changed) {
            return new WaitForTx(txId, minConfirmations, OptionalLong.of(changed));
        }

        @Override
        public Duration waits() {
            return atMost(timeoutSecs.orElse(DEFAULT_TIMEOUT_SECONDS));
        }

        public record Result(
                Hash256 txId,
                Hash256 blockId,
                long blockHeight,
                @Doc("at least min_confirmations") long confirmations) {}
    }

    @Method(
            name = "wait_for_payment",
            scope = Scope.READ,
            summary = "Waits for a payment that was not pending yet when the call came. A time-out is a normal answer.",
            longPoll = true)
    public record WaitForPayment(
            @Doc("of this daemon or of anybody else") Address address,

            @Doc("base units that one transaction must pay; default 1")
            Optional<Amount> minAmount,

            @Doc("default 60, at most 600") OptionalLong timeoutSecs,

            @Doc(
                    "of `list_credits` for this address with min_confirmations 0, or of an earlier answer: what came after it counts too; the address must be of this daemon")
            Optional<String> sinceCursor)
            implements Call<WaitForPayment.Result> {
        /** Waits for a payment of any amount. */
        public static WaitForPayment of(Address address) {
            return new WaitForPayment(address, Optional.empty(), OptionalLong.empty(), Optional.empty());
        }

        public WaitForPayment withMinAmount(Amount changed) {
            return new WaitForPayment(address, Optional.of(changed), timeoutSecs, sinceCursor);
        }

        public WaitForPayment withTimeoutSecs(long changed) {
            return new WaitForPayment(address, minAmount, OptionalLong.of(changed), sinceCursor);
        }

        public WaitForPayment withSinceCursor(String changed) {
            return new WaitForPayment(address, minAmount, timeoutSecs, Optional.of(changed));
        }

        @Override
        public Duration waits() {
            return atMost(timeoutSecs.orElse(DEFAULT_TIMEOUT_SECONDS));
        }

        public record Result(
                Address address,
                boolean received,
                boolean timedOut,

                @Doc("hex64, or null when only a larger confirmed balance was seen; absent after a time-out")
                Optional<JsonNode> txId,

                @Doc("what the transaction pays to the address, absent after a time-out")
                Optional<Amount> amount,

                @Doc("0 means seen in the mempool, absent after a time-out")
                OptionalLong confirmations,

                @Doc("absent after a time-out") OptionalLong tipHeight,
                long waitedSecs,

                @Doc("only with since_cursor: behind what was told, for the next call")
                Optional<String> cursor) {
            /** Transaction that pays; empty after a timeout, and if only a larger confirmed balance was seen. */
            public Optional<Hash256> payment() {
                return txId.filter(JsonNode::isTextual).map(id -> Hash256.parse(id.textValue()));
            }
        }
    }

    /** Credit as returned by {@code list_credits} and in events. */
    public record Credit(
            @Doc("number in the log of events; never used twice")
            long seq,

            @Doc("seen (in a mempool, only with min_confirmations 0), confirmed or removed")
            String event,

            Address address,
            Hash256 txId,
            @U32 long outputIndex,
            Amount amount,

            @Doc("null for what was only seen") @OrNull OptionalLong blockHeight,

            @Doc("null for what was only seen") @OrNull Optional<Hash256> blockId,

            @Doc("now; 0 after a removal and while it is only seen")
            long confirmations,

            @Doc("paid by keys of this daemon alone, HTLCs that they redeem included")
            boolean own,

            @Doc("paid by the address itself") boolean change,
            boolean coinbase,

            @Doc("tip height from which it can be spent; null for what was only seen") @OrNull
            OptionalLong spendableHeight,

            Optional<Bytes> datum,

            @Doc("when the datum is 16 bytes, as payments of quotes carry them")
            Optional<Bytes> quoteId,

            @Doc(
                    "true while it is not known that the chain is the one the operator means: --expect-genesis does not name it, or its"
                            + " blocks are not linked to that genesis or to --checkpoint yet. Absent otherwise")
            Optional<Boolean> unverified,

            @Doc("true when the address is watched although its key is elsewhere. Absent otherwise")
            Optional<Boolean> watchOnly) {}

    @Method(
            name = "list_credits",
            scope = Scope.READ,
            summary =
                    "What the daemon's addresses were paid, in an order that never changes; with a cursor, nothing is missed or told twice.",
            errors = ErrorCode.WALLET_NOT_FOUND,
            longPoll = true)
    public record ListCredits(
            @Doc("of an earlier answer; without it the feed begins with the first credit")
            Optional<String> cursor,

            @Doc("'now' gives only a cursor, from which what comes later is told")
            Optional<String> from,

            @Doc("default 100, at most 1000") OptionalLong limit,

            @Doc("of this daemon, or watched by it; default all")
            Optional<Address> address,

            @Doc("0, the default: the log of all events. n: only what is n deep, and its removal") @U32
            OptionalLong minConfirmations,

            @Doc("also what an address pays back to itself; default false")
            Optional<Boolean> includeChange,

            @Doc("how long to wait for the first event; default 0, at most 600")
            OptionalLong waitSecs)
            implements Call<ListCredits.Result> {
        /** Starts with the first credit of all addresses, without waiting. */
        public static ListCredits of() {
            return new ListCredits(
                    Optional.empty(),
                    Optional.empty(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    OptionalLong.empty());
        }

        public ListCredits withCursor(String changed) {
            return new ListCredits(
                    Optional.of(changed), from, limit, address, minConfirmations, includeChange, waitSecs);
        }

        public ListCredits withFrom(String changed) {
            return new ListCredits(
                    cursor, Optional.of(changed), limit, address, minConfirmations, includeChange, waitSecs);
        }

        public ListCredits withLimit(long changed) {
            return new ListCredits(
                    cursor, from, OptionalLong.of(changed), address, minConfirmations, includeChange, waitSecs);
        }

        public ListCredits withAddress(Address changed) {
            return new ListCredits(
                    cursor, from, limit, Optional.of(changed), minConfirmations, includeChange, waitSecs);
        }

        public ListCredits withMinConfirmations(long changed) {
            return new ListCredits(cursor, from, limit, address, OptionalLong.of(changed), includeChange, waitSecs);
        }

        public ListCredits withIncludeChange(boolean changed) {
            return new ListCredits(cursor, from, limit, address, minConfirmations, Optional.of(changed), waitSecs);
        }

        public ListCredits withWaitSecs(long changed) {
            return new ListCredits(
                    cursor, from, limit, address, minConfirmations, includeChange, OptionalLong.of(changed));
        }

        @Override
        public Duration waits() {
            return atMost(waitSecs.orElse(0));
        }

        public record Result(
                List<Credit> credits,

                @Doc("for the next call with the same min_confirmations and address; valid for ever")
                String cursor,

                @Doc("whether there is more at once") boolean more) {}
    }
}
