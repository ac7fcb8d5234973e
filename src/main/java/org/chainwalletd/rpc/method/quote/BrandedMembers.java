package org.chainwalletd.rpc.method.quote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.rpc.RpcException;

/**
 * The two members of a quote that carry the brand word (decisions.md, section 1): {@code <brand>_amount} and {@code rate_<brand>s_per_unit}. The
 * default spelling, in which the records declare them, is always read, and is what the default brand writes.
 */
final class BrandedMembers {
    static final String AMOUNT = "chain_amount";
    static final String RATE = "rate_chain_per_unit";

    /** The word that makes the default spelling. */
    private static final String DEFAULT_BRAND = "chain";

    private final String amount;
    private final String rate;
    private final Map<String, String> declaredByBranded;

    BrandedMembers(ChainProfile chain) {
        boolean branded = !chain.brand().equals(DEFAULT_BRAND);
        amount = branded ? chain.brand() + "_amount" : AMOUNT;
        rate = branded ? "rate_" + chain.brand() + "s_per_unit" : RATE;
        declaredByBranded = branded ? Map.of(amount, AMOUNT, rate, RATE) : Map.of();
    }

    /** How the amount is written. */
    String amount() {
        return amount;
    }

    /** How the rate is written. */
    String rate() {
        return rate;
    }

    /**
     * {@code given} with its members in the default spelling; what is no object stays as it is.
     *
     * @throws RpcException -32602 when one member is there in both
     */
    JsonNode asDeclared(JsonNode given) {
        if (given == null || !given.isObject() || declaredByBranded.isEmpty()) {
            return given;
        }
        ObjectNode declared = JsonNodeFactory.instance.objectNode();
        given.properties().forEach(member -> {
            String name = declaredByBranded.getOrDefault(member.getKey(), member.getKey());
            if (declared.has(name)) {
                throw RpcException.invalidParams("`" + member.getKey() + "` is there in two spellings; give one");
            }
            declared.set(name, member.getValue());
        });
        return declared;
    }
}
