package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_address_utxos}: Confirmed unspent outputs of an address, at most 1000; there is no cursor. Needs the
 * read token.
 *
 * @param address Address, 64 hex characters
 */
public record GetAddressUtxos(String address) implements Call<GetAddressUtxos.Result> {
    /** With what must be there. */
    public static GetAddressUtxos of(String address) {
        return new GetAddressUtxos(address);
    }

    @Override
    public String method() {
        return "get_address_utxos";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param truncated The node clipped its list at 1000 entries
     */
    public record Result(
            Optional<String> address,
            Optional<String> scriptHex,
            BigInteger tipHeight,
            Boolean truncated,
            List<Utxo> utxos) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.optional("address", Answer::text),
                    answer.optional("script_hex", Answer::text),
                    answer.get("tip_height", Answer::u64),
                    answer.get("truncated", Answer::truth),
                    answer.get("utxos", Answer.list(Utxo::read)));
        }

        /**
         * Part of the answer.
         */
        public record Utxo(
                String txId,
                Long outputIndex,
                BigInteger value,
                BigInteger height,
                Boolean isCoinbase,
                Optional<Integer> scriptLen) {
            static Utxo read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Utxo(
                        answer.get("tx_id", Answer::text),
                        answer.get("output_index", Answer::int64),
                        answer.get("value", Answer::u64),
                        answer.get("height", Answer::u64),
                        answer.get("is_coinbase", Answer::truth),
                        answer.optional("script_len", Answer::int32));
            }
        }
    }
}
