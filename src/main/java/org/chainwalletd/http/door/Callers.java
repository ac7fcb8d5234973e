package org.chainwalletd.http.door;

import java.util.Optional;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.chainwalletd.access.Grant;

/** Finds the caller of a request by its headers and its connection. */
public record Callers(Authenticator authenticator, ClientAddress addresses) {
    /**
     * @param grant of the token; empty without a valid one
     * @param client address as far as it can be trusted
     */
    public record Caller(Optional<Grant> grant, String client) {
        /** Returns the key of {@link FairExecutor}: an IPv6 network of one subscriber counts as one caller, as in {@link AddressShares}. */
        public String subscriber() {
            return ClientAddress.network(client);
        }
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
        // Two Authorization headers suggest a misconfigured proxy: it is unknown which one is authentic, so neither is
        // used.
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
