package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_script_utxos}: Confirmed unspent outputs with a locking script, at most 1000; there is no cursor.
 * Needs the read token.
 *
 * @param scriptHex Locking script, 1 to 65535 bytes
 */
public record GetScriptUtxos(String scriptHex) implements Call<GetScriptUtxos.Result> {
    /** With what must be there. */
    public static GetScriptUtxos of(String scriptHex) {
        return new GetScriptUtxos(scriptHex);
    }

    @Override
    public String method() {
        return "get_script_utxos";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("script_hex", scriptHex);
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
