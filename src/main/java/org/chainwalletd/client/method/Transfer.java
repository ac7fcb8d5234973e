package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code transfer}: Builds, signs and broadcasts a payment to up to 16 recipients; change returns to the sender.
 * With a client_token a repeated call settles the same payment and never makes a second one. Needs the spend token.
 *
 * @param from sender's address, a key of this daemon
 * @param outputs 1 to 16 recipients
 * @param feeRate base units per 100 cost units; 1 is the consensus minimum and the default
 * @param fee absolute fee in base units; raised to the consensus minimum
 * @param maxFee refuse a higher fee; default 2000000
 * @param datum hex, at most 4096 bytes, attached to the first output
 * @param clientToken 8 to 128 printable ASCII characters; the same token never pays twice
 */
public record Transfer(
        String from,
        List<Output> outputs,
        Optional<BigInteger> feeRate,
        Optional<BigInteger> fee,
        Optional<BigInteger> maxFee,
        Optional<String> datum,
        Optional<String> clientToken)
        implements Spend<Transfer.Result> {
    /** With what must be there. */
    public static Transfer of(String from, List<Output> outputs) {
        return new Transfer(
                from,
                outputs,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public Transfer withFeeRate(BigInteger feeRate) {
        return new Transfer(from, outputs, Optional.of(feeRate), fee, maxFee, datum, clientToken);
    }

    public Transfer withFee(BigInteger fee) {
        return new Transfer(from, outputs, feeRate, Optional.of(fee), maxFee, datum, clientToken);
    }

    public Transfer withMaxFee(BigInteger maxFee) {
        return new Transfer(from, outputs, feeRate, fee, Optional.of(maxFee), datum, clientToken);
    }

    public Transfer withDatum(String datum) {
        return new Transfer(from, outputs, feeRate, fee, maxFee, Optional.of(datum), clientToken);
    }

    public Transfer withClientToken(String clientToken) {
        return new Transfer(from, outputs, feeRate, fee, maxFee, datum, Optional.of(clientToken));
    }

    @Override
    public String method() {
        return "transfer";
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
        clientToken.ifPresent(value -> params.put("client_token", value));
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
     * @param builtAtHeight tip when the coins were listed
     */
    public record Result(
            String txId,
            BigInteger size,
            BigInteger fee,
            BigInteger feeRate,
            List<Input> inputs,
            List<Output> outputs,
            BigInteger builtAtHeight) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("tx_id", Answer::text),
                    answer.get("size", Answer::u64),
                    answer.get("fee", Answer::u64),
                    answer.get("fee_rate", Answer::u64),
                    answer.get("inputs", Answer.list(Input::read)),
                    answer.get("outputs", Answer.list(Output::read)),
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
