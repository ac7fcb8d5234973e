package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_wallet_balance}: Confirmed balances of the managed addresses and their sum. When the nodes' quotas do
 * not suffice at once it takes up to 90 seconds, for up to 2000 addresses. Needs the read token.
 *
 * @param utxos Whether outputs are counted too; default true
 * @param addresses Only these addresses; unknown ones are ignored. Default: all managed
 */
public record GetWalletBalance(Optional<Boolean> utxos, Optional<List<String>> addresses)
        implements Call<GetWalletBalance.Result> {
    /** With what must be there. */
    public static GetWalletBalance of() {
        return new GetWalletBalance(Optional.empty(), Optional.empty());
    }

    public GetWalletBalance withUtxos(Boolean utxos) {
        return new GetWalletBalance(Optional.of(utxos), addresses);
    }

    public GetWalletBalance withAddresses(List<String> addresses) {
        return new GetWalletBalance(utxos, Optional.of(addresses));
    }

    @Override
    public String method() {
        return "get_wallet_balance";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        utxos.ifPresent(value -> params.put("utxos", value));
        addresses.ifPresent(value -> params.put("addresses", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param total Sum over the entries
     */
    public record Result(List<Entry> entries, BigInteger total) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("entries", Answer.list(Entry::read)), answer.get("total", Answer::u64));
        }

        /**
         * Part of the answer.
         */
        public record Entry(
                String address,
                Optional<Long> index,
                Optional<String> label,
                Boolean imported,
                BigInteger balance,
                Optional<Long> utxoCount,
                Optional<Boolean> truncated) {
            static Entry read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Entry(
                        answer.get("address", Answer::text),
                        answer.optional("index", Answer::int64),
                        answer.optional("label", Answer::text),
                        answer.get("imported", Answer::truth),
                        answer.get("balance", Answer::u64),
                        answer.optional("utxo_count", Answer::int64),
                        answer.optional("truncated", Answer::truth));
            }
        }
    }
}
