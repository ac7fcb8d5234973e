package org.chainwalletd.http.door;

import java.util.Optional;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.chainwalletd.access.Grant;

/** Finds the caller of a request by its headers and its connection. */
public final class Callers {
    /**
     * @param grant of the token; empty without a valid one
     * @param client address as far as it can be trusted
     */
    public record Caller(Optional<Grant> grant, String client) {
        /** Key by which work takes turns: one subscriber's network of IPv6 is one, as it is for {@link AddressShares}. */
        public String subscriber() {
            return ClientAddress.network(client);
        }
    }

    private final Authenticator authenticator;
    private final ClientAddress addresses;

    public Callers(Authenticator authenticator, ClientAddress addresses) {
        this.authenticator = authenticator;
        this.addresses = addresses;
    }

    public Caller of(HttpRequest request, Connection connection) {
        String authorization = null;
        boolean twice = false;
        for (HttpHeader header : request.getHeaders()) {
            if (header.is("authorization")) {
                twice = authorization != null;
                authorization = header.value();
            }
        }
        // Two Authorization headers are a sign of a confused proxy: which one it vouches for cannot be known.
        Optional<Grant> grant = authenticator.grantOf(twice ? null : authorization);
        return new Caller(grant, client(request, connection));
    }

    private String client(HttpRequest request, Connection connection) {
        if (!addresses.trustsAnyProxy()) {
            return connection.peer();
        }
        StringBuilder forwardedFor = new StringBuilder();
        for (HttpHeader header : request.getHeaders()) {
            if (header.is("x-forwarded-for")) {
                forwardedFor.append(forwardedFor.isEmpty() ? "" : ",").append(header.value());
            }
        }
        return addresses.of(connection.remote().getAddress(), forwardedFor.toString());
    }
}
