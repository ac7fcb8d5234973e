package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code get_status}: Version, tip, nodes, number of keys and spends in flight; succeeds also when no node does.
 * Needs the read token.
 */
public record GetStatus() implements Call<GetStatus.Result> {
    /** With what must be there. */
    public static GetStatus of() {
        return new GetStatus();
    }

    @Override
    public String method() {
        return "get_status";
    }

    @Override
    public Map<String, Object> params() {
        return Map.of();
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param upstreamOk A node answered and signing is possible
     * @param network mainnet, testnet, devnet or null
     * @param genesisBlockId Genesis id that transactions are signed for
     * @param complaint What is wrong with the chain of the nodes; absent when nothing is
     */
    public record Result(
            String version,
            Tip tip,
            Boolean upstreamOk,
            List<String> upstreamNodes,
            Long walletCount,
            Long inFlightUtxos,
            Long inFlightTransfers,
            Optional<String> network,
            Optional<String> genesisBlockId,
            Optional<String> complaint) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("version", Answer::text),
                    answer.get("tip", Tip::read),
                    answer.get("upstream_ok", Answer::truth),
                    answer.get("upstream_nodes", Answer.list(Answer::text)),
                    answer.get("wallet_count", Answer::int64),
                    answer.get("in_flight_utxos", Answer::int64),
                    answer.get("in_flight_transfers", Answer::int64),
                    answer.optional("network", Answer::text),
                    answer.optional("genesis_block_id", Answer::text),
                    answer.optional("complaint", Answer::text));
        }

        /**
         * Part of the answer.
         */
        public record Tip(Optional<String> blockId, Optional<BigInteger> height) {
            static Tip read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Tip(answer.optional("block_id", Answer::text), answer.optional("height", Answer::u64));
            }
        }
    }
}
