package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code get_address_mempool}: Unconfirmed transactions that pay or spend an address. Needs the read token.
 *
 * @param address Address, 64 hex characters
 */
public record GetAddressMempool(String address) implements Call<GetAddressMempool.Result> {
    /** With what must be there. */
    public static GetAddressMempool of(String address) {
        return new GetAddressMempool(address);
    }

    @Override
    public String method() {
        return "get_address_mempool";
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
     */
    public record Result(String address, BigInteger tipHeight, List<MempoolItem> mempool) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("address", Answer::text),
                    answer.get("tip_height", Answer::u64),
                    answer.get("mempool", Answer.list(MempoolItem::read)));
        }

        /**
         * Part of the answer.
         */
        public record MempoolItem(String txId, List<ReceivedItem> received, List<SpentItem> spent) {
            static MempoolItem read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new MempoolItem(
                        answer.get("tx_id", Answer::text),
                        answer.get("received", Answer.list(ReceivedItem::read)),
                        answer.get("spent", Answer.list(SpentItem::read)));
            }

            /**
             * Part of the answer.
             */
            public record ReceivedItem(Long outputIndex, BigInteger value) {
                static ReceivedItem read(JsonNode json) {
                    Answer answer = Answer.of(json);
                    return new ReceivedItem(
                            answer.get("output_index", Answer::int64), answer.get("value", Answer::u64));
                }
            }

            /**
             * Part of the answer.
             */
            public record SpentItem(String txId, Long outputIndex, BigInteger value) {
                static SpentItem read(JsonNode json) {
                    Answer answer = Answer.of(json);
                    return new SpentItem(
                            answer.get("tx_id", Answer::text),
                            answer.get("output_index", Answer::int64),
                            answer.get("value", Answer::u64));
                }
            }
        }
    }
}
