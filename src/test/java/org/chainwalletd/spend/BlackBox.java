package org.chainwalletd.spend;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;

/** Parameters of calls over HTTP. */
final class BlackBox {
    private BlackBox() {}

    static Map<String, Object> params(Object... namesAndValues) {
        Map<String, Object> params = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            params.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return params;
    }

    /** A transfer to one recipient, with more parameters. */
    static Map<String, Object> transfer(String from, String to, Object amount, Object... more) {
        Map<String, Object> params = params("from", from, "outputs", List.of(params("to", to, "amount", amount)));
        params.putAll(params(more));
        return params;
    }

    /** The secret of the test key {@code number}: 32 times the same byte. */
    static String secret(int number) {
        return String.format("%02x", number).repeat(32);
    }

    static String hex(Address address) {
        return address.hex();
    }
}
