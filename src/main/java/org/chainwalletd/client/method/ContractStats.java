package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code contract_stats}: How the contracts of an address went. Needs the read token.
 *
 * @param contractHash Only this kind of contract
 */
public record ContractStats(String address, Optional<String> contractHash) implements Call<ContractStats.Result> {
    /** With what must be there. */
    public static ContractStats of(String address) {
        return new ContractStats(address, Optional.empty());
    }

    public ContractStats withContractHash(String contractHash) {
        return new ContractStats(address, Optional.of(contractHash));
    }

    @Override
    public String method() {
        return "contract_stats";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        contractHash.ifPresent(value -> params.put("contract_hash", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param stats One row for each kind of contract
     */
    public record Result(List<Stat> stats) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("stats", Answer.list(Stat::read)));
        }

        /**
         * Part of the answer.
         */
        public record Stat(
                String contractHash,
                BigInteger total,
                BigInteger succeeded,
                BigInteger refunded,
                Optional<BigInteger> avgSettleBlocks,
                Optional<BigInteger> lastSettledAtHeight) {
            static Stat read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Stat(
                        answer.get("contract_hash", Answer::text),
                        answer.get("total", Answer::u64),
                        answer.get("succeeded", Answer::u64),
                        answer.get("refunded", Answer::u64),
                        answer.optional("avg_settle_blocks", Answer::u64),
                        answer.optional("last_settled_at_height", Answer::u64));
            }
        }
    }
}
