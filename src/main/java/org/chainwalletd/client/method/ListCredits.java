package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code list_credits}: What the daemon's addresses were paid, in an order that never changes; with a cursor,
 * nothing is missed or told twice. Needs the read token.
 *
 * @param cursor of an earlier answer; without it the feed begins with the first credit
 * @param from 'now' gives only a cursor, from which what comes later is told
 * @param limit default 100, at most 1000
 * @param address of this daemon; default all
 * @param minConfirmations 0, the default: the log of all events. n: only what is n deep, and its removal
 * @param includeChange also what an address pays back to itself; default false
 * @param waitSecs how long to wait for the first event; default 0, at most 600
 */
public record ListCredits(
        Optional<String> cursor,
        Optional<String> from,
        Optional<BigInteger> limit,
        Optional<String> address,
        Optional<Long> minConfirmations,
        Optional<Boolean> includeChange,
        Optional<BigInteger> waitSecs)
        implements Call<ListCredits.Result> {
    /** With what must be there. */
    public static ListCredits of() {
        return new ListCredits(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public ListCredits withCursor(String cursor) {
        return new ListCredits(Optional.of(cursor), from, limit, address, minConfirmations, includeChange, waitSecs);
    }

    public ListCredits withFrom(String from) {
        return new ListCredits(cursor, Optional.of(from), limit, address, minConfirmations, includeChange, waitSecs);
    }

    public ListCredits withLimit(BigInteger limit) {
        return new ListCredits(cursor, from, Optional.of(limit), address, minConfirmations, includeChange, waitSecs);
    }

    public ListCredits withAddress(String address) {
        return new ListCredits(cursor, from, limit, Optional.of(address), minConfirmations, includeChange, waitSecs);
    }

    public ListCredits withMinConfirmations(Long minConfirmations) {
        return new ListCredits(cursor, from, limit, address, Optional.of(minConfirmations), includeChange, waitSecs);
    }

    public ListCredits withIncludeChange(Boolean includeChange) {
        return new ListCredits(cursor, from, limit, address, minConfirmations, Optional.of(includeChange), waitSecs);
    }

    public ListCredits withWaitSecs(BigInteger waitSecs) {
        return new ListCredits(cursor, from, limit, address, minConfirmations, includeChange, Optional.of(waitSecs));
    }

    @Override
    public String method() {
        return "list_credits";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        cursor.ifPresent(value -> params.put("cursor", value));
        from.ifPresent(value -> params.put("from", value));
        limit.ifPresent(value -> params.put("limit", value));
        address.ifPresent(value -> params.put("address", value));
        minConfirmations.ifPresent(value -> params.put("min_confirmations", value));
        includeChange.ifPresent(value -> params.put("include_change", value));
        waitSecs.ifPresent(value -> params.put("wait_secs", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public Duration waits() {
        return Duration.ofSeconds(waitSecs.orElse(BigInteger.valueOf(0))
                .min(BigInteger.valueOf(600))
                .longValue());
    }

    /**
     * What the method answers.
     *
     * @param cursor for the next call with the same min_confirmations and address; valid for ever
     * @param more whether there is more at once
     */
    public record Result(List<Credit> credits, String cursor, Boolean more) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("credits", Answer.list(Credit::read)),
                    answer.get("cursor", Answer::text),
                    answer.get("more", Answer::truth));
        }

        /**
         * Part of the answer.
         *
         * @param seq number in the log of events; never used twice
         * @param event seen (in a mempool, only with min_confirmations 0), confirmed or removed
         * @param blockHeight null for what was only seen
         * @param blockId null for what was only seen
         * @param confirmations now; 0 after a removal and while it is only seen
         * @param own paid by keys of this daemon alone, HTLCs that they redeem included
         * @param change paid by the address itself
         * @param spendableHeight tip height from which it can be spent; null for what was only seen
         * @param quoteId when the datum is 16 bytes, as payments of quotes carry them
         * @param unverified true while it is not known that the chain is the one the operator means: --expect-genesis does
         * not name it, or its blocks are not linked to that genesis or to --checkpoint yet. Absent otherwise
         */
        public record Credit(
                BigInteger seq,
                String event,
                String address,
                String txId,
                Long outputIndex,
                BigInteger amount,
                Optional<BigInteger> blockHeight,
                Optional<String> blockId,
                BigInteger confirmations,
                Boolean own,
                Boolean change,
                Boolean coinbase,
                Optional<BigInteger> spendableHeight,
                Optional<String> datum,
                Optional<String> quoteId,
                Optional<Boolean> unverified) {
            static Credit read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Credit(
                        answer.get("seq", Answer::u64),
                        answer.get("event", Answer::text),
                        answer.get("address", Answer::text),
                        answer.get("tx_id", Answer::text),
                        answer.get("output_index", Answer::int64),
                        answer.get("amount", Answer::u64),
                        answer.optional("block_height", Answer::u64),
                        answer.optional("block_id", Answer::text),
                        answer.get("confirmations", Answer::u64),
                        answer.get("own", Answer::truth),
                        answer.get("change", Answer::truth),
                        answer.get("coinbase", Answer::truth),
                        answer.optional("spendable_height", Answer::u64),
                        answer.optional("datum", Answer::text),
                        answer.optional("quote_id", Answer::text),
                        answer.optional("unverified", Answer::truth));
            }
        }
    }
}
