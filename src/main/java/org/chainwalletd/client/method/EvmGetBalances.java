package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/**
 * {@code evm_get_balances}: Balances of the account-chain key: the native asset as a quorum of endpoints names it,
 * what open swaps need of it, and the configured tokens. Refused without --evm-rpc. Needs the read token.
 */
public record EvmGetBalances() implements Call<EvmGetBalances.Result> {
    /** With what must be there. */
    public static EvmGetBalances of() {
        return new EvmGetBalances();
    }

    @Override
    public String method() {
        return "evm_get_balances";
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
     * @param gasReserveWei kept for open swaps
     */
    public record Result(String address, String nativeWei, String gasReserveWei, List<Token> tokens) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("address", Answer::text),
                    answer.get("native_wei", Answer::text),
                    answer.get("gas_reserve_wei", Answer::text),
                    answer.get("tokens", Answer.list(Token::read)));
        }

        /**
         * Part of the answer.
         */
        public record Token(String address, String symbol, BigInteger decimals, String balance) {
            static Token read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Token(
                        answer.get("address", Answer::text),
                        answer.get("symbol", Answer::text),
                        answer.get("decimals", Answer::u64),
                        answer.get("balance", Answer::text));
            }
        }
    }
}
