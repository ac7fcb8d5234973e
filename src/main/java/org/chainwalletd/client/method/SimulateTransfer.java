package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code simulate_transfer}: Selects and prices a transfer as it would be made now. Broadcasts and reserves
 * nothing; takes no client_token. Needs the read token.
 *
 * @param from sender's address, a key of this daemon
 * @param outputs 1 to 16 recipients
 * @param feeRate base units per 100 cost units; 1 is the consensus minimum and the default
 * @param fee absolute fee in base units; raised to the consensus minimum
 * @param maxFee refuse a higher fee; default 2000000
 * @param datum hex, at most 4096 bytes, attached to the first output
 */
public record SimulateTransfer(
        String from,
        List<Output> outputs,
        Optional<BigInteger> feeRate,
        Optional<BigInteger> fee,
        Optional<BigInteger> maxFee,
        Optional<String> datum)
        implements Call<SimulateTransfer.Result> {
    /** With what must be there. */
    public static SimulateTransfer of(String from, List<Output> outputs) {
        return new SimulateTransfer(
                from, outputs, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public SimulateTransfer withFeeRate(BigInteger feeRate) {
        return new SimulateTransfer(from, outputs, Optional.of(feeRate), fee, maxFee, datum);
    }

    public SimulateTransfer withFee(BigInteger fee) {
        return new SimulateTransfer(from, outputs, feeRate, Optional.of(fee), maxFee, datum);
    }

    public SimulateTransfer withMaxFee(BigInteger maxFee) {
        return new SimulateTransfer(from, outputs, feeRate, fee, Optional.of(maxFee), datum);
    }

    public SimulateTransfer withDatum(String datum) {
        return new SimulateTransfer(from, outputs, feeRate, fee, maxFee, Optional.of(datum));
    }

    @Override
    public String method() {
        return "simulate_transfer";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("from", from);
        params.put("outputs", outputs.stream().map(Output::params).toList());
        feeRate.ifPresent(value -> params.put("fee_rate", value));
        fee.ifPresent(value -> params.put("fee", value));
        maxFee.ifPresent(value -> params.put("max_fee", value));
        datum.ifPresent(value -> params.put("datum", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * Part of the parameters.
     *
     * @param to recipient's address, 64 hex characters
     * @param amount base units, at least 200
     */
    public record Output(String to, BigInteger amount) {
        /** With what must be there. */
        public static Output of(String to, BigInteger amount) {
            return new Output(to, amount);
        }

        Map<String, Object> params() {
            Map<String, Object> params = new LinkedHashMap<>();
            params.put("to", to);
            params.put("amount", amount);
            return params;
        }
    }

    /**
     * What the method answers.
     *
     * @param fee effective, with folded sub-dust change
     * @param feeRate fee * 100 / cost
     * @param totalIn total_out + fee
     * @param change 0 if none
     * @param builtAtHeight tip when the coins were listed
     */
    public record Result(
            BigInteger size,
            BigInteger fee,
            BigInteger feeRate,
            List<Input> inputs,
            List<Output> outputs,
            BigInteger totalIn,
            BigInteger totalOut,
            BigInteger change,
            BigInteger builtAtHeight) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("size", Answer::u64),
                    answer.get("fee", Answer::u64),
                    answer.get("fee_rate", Answer::u64),
                    answer.get("inputs", Answer.list(Input::read)),
                    answer.get("outputs", Answer.list(Output::read)),
                    answer.get("total_in", Answer::u64),
                    answer.get("total_out", Answer::u64),
                    answer.get("change", Answer::u64),
                    answer.get("built_at_height", Answer::u64));
        }

        /**
         * Part of the answer.
         */
        public record Input(String txId, Long outputIndex, BigInteger value) {
            static Input read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Input(
                        answer.get("tx_id", Answer::text),
                        answer.get("output_index", Answer::int64),
                        answer.get("value", Answer::u64));
            }
        }

        /**
         * Part of the answer.
         */
        public record Output(String to, BigInteger amount, Boolean isChange) {
            static Output read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Output(
                        answer.get("to", Answer::text),
                        answer.get("amount", Answer::u64),
                        answer.get("is_change", Answer::truth));
            }
        }
    }
}
