package org.chainwalletd.rpc.method.wait;

import java.time.Duration;
import java.util.OptionalLong;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.U64;
import org.chainwalletd.rpc.NamedMethod;

/** What the methods of this family have in common: read scope, a time-out, and that they end when their caller leaves. */
abstract class WaitMethod<P extends Record, R> extends NamedMethod<P, R> {
    private static final long DEFAULT_SECONDS = 60;
    private static final long MOST_SECONDS = 600;

    WaitMethod(String name, String summary, Class<P> params, Class<R> result) {
        super(name, Scope.READ, summary, params, result);
    }

    @Override
    public boolean longPoll() {
        return true;
    }

    /** 60 s unless said otherwise, never more than 600 s. */
    static Duration time(OptionalLong seconds) {
        long asked = seconds.orElse(DEFAULT_SECONDS);
        return Duration.ofSeconds(U64.compare(asked, MOST_SECONDS) < 0 ? asked : MOST_SECONDS);
    }
}
