package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code list_addresses}: Lists all addresses of the keyring. Needs the read token.
 */
public record ListAddresses() implements Call<ListAddresses.Result> {
    /** With what must be there. */
    public static ListAddresses of() {
        return new ListAddresses();
    }

    @Override
    public String method() {
        return "list_addresses";
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
     */
    public record Result(List<Address> addresses) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("addresses", Answer.list(Address::read)));
        }

        /**
         * Part of the answer.
         */
        public record Address(String address, Optional<Long> index, Optional<String> label, Boolean imported) {
            static Address read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Address(
                        answer.get("address", Answer::text),
                        answer.optional("index", Answer::int64),
                        answer.optional("label", Answer::text),
                        answer.get("imported", Answer::truth));
            }
        }
    }
}
