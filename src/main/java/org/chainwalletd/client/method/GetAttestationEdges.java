package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_attestation_edges}: How the contracts of an address went, by counterparty. Needs the read token.
 *
 * @param contractHash Only this kind of contract
 */
public record GetAttestationEdges(String address, Optional<String> contractHash)
        implements Call<GetAttestationEdges.Result> {
    /** With what must be there. */
    public static GetAttestationEdges of(String address) {
        return new GetAttestationEdges(address, Optional.empty());
    }

    public GetAttestationEdges withContractHash(String contractHash) {
        return new GetAttestationEdges(address, Optional.of(contractHash));
    }

    @Override
    public String method() {
        return "get_attestation_edges";
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
     */
    public record Result(List<Edge> edges) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("edges", Answer.list(Edge::read)));
        }

        /**
         * Part of the answer.
         *
         * @param contractName null unless it is a known template
         */
        public record Edge(
                String counterparty,
                String contractHash,
                Optional<String> contractName,
                BigInteger total,
                BigInteger succeeded,
                BigInteger refunded,
                Optional<BigInteger> lastSeenHeight) {
            static Edge read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Edge(
                        answer.get("counterparty", Answer::text),
                        answer.get("contract_hash", Answer::text),
                        answer.optional("contract_name", Answer::text),
                        answer.get("total", Answer::u64),
                        answer.get("succeeded", Answer::u64),
                        answer.get("refunded", Answer::u64),
                        answer.optional("last_seen_height", Answer::u64));
            }
        }
    }
}
