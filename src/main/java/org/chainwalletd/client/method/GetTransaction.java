package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_transaction}: A confirmed or pending transaction with its inputs resolved. Needs the read token.
 *
 * @param txId Transaction id
 */
public record GetTransaction(String txId) implements Call<GetTransaction.Result> {
    /** With what must be there. */
    public static GetTransaction of(String txId) {
        return new GetTransaction(txId);
    }

    @Override
    public String method() {
        return "get_transaction";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("tx_id", txId);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param totalIn Absent when an input could not be resolved
     * @param fee Absent together with total_in
     * @param size Bytes
     */
    public record Result(
            String txId,
            String txHex,
            Boolean inMempool,
            Optional<String> blockId,
            Optional<BigInteger> blockHeight,
            List<Input> inputs,
            List<Output> outputs,
            BigInteger totalOut,
            Optional<BigInteger> totalIn,
            Optional<BigInteger> fee,
            BigInteger size) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("tx_id", Answer::text),
                    answer.get("tx_hex", Answer::text),
                    answer.get("in_mempool", Answer::truth),
                    answer.optional("block_id", Answer::text),
                    answer.optional("block_height", Answer::u64),
                    answer.get("inputs", Answer.list(Input::read)),
                    answer.get("outputs", Answer.list(Output::read)),
                    answer.get("total_out", Answer::u64),
                    answer.optional("total_in", Answer::u64),
                    answer.optional("fee", Answer::u64),
                    answer.get("size", Answer::u64));
        }

        /**
         * Part of the answer.
         */
        public record Input(
                String prevTxId,
                Long outputIndex,
                Optional<String> address,
                Optional<String> scriptHex,
                Optional<BigInteger> value,
                Optional<Witness> witness) {
            static Input read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Input(
                        answer.get("prev_tx_id", Answer::text),
                        answer.get("output_index", Answer::int64),
                        answer.optional("address", Answer::text),
                        answer.optional("script_hex", Answer::text),
                        answer.optional("value", Answer::u64),
                        answer.optional("witness", Witness::read));
            }

            /**
             * Part of the answer.
             */
            public record Witness(
                    Optional<String> pubkey,
                    Optional<String> signature,
                    Optional<String> witnessHex,
                    Optional<String> redeemerHex) {
                static Witness read(JsonNode json) {
                    Answer answer = Answer.of(json);
                    return new Witness(
                            answer.optional("pubkey", Answer::text),
                            answer.optional("signature", Answer::text),
                            answer.optional("witness_hex", Answer::text),
                            answer.optional("redeemer_hex", Answer::text));
                }
            }
        }

        /**
         * Part of the answer.
         */
        public record Output(
                Optional<String> address,
                Optional<String> scriptHex,
                BigInteger value,
                Optional<String> datum,
                Optional<String> datumHash) {
            static Output read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Output(
                        answer.optional("address", Answer::text),
                        answer.optional("script_hex", Answer::text),
                        answer.get("value", Answer::u64),
                        answer.optional("datum", Answer::text),
                        answer.optional("datum_hash", Answer::text));
            }
        }
    }
}
