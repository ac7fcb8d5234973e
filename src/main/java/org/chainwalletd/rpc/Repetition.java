package org.chainwalletd.rpc;

import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.Shapes;

/**
 * Classification of methods by the effect of repeating a call. With {@link ErrorCode#retry} it decides whether a failed call may be repeated;
 * the reference page, the manual's page on retries, the help of a method and the exit codes of the command line all use it.
 */
public enum Repetition {
    /** Calls that change nothing, or nothing more when repeated. */
    HARMLESS,
    /** Calls that return the first call's outcome when repeated with the same {@code client_token}. */
    BOUND,
    /** Calls that may repeat their effect. */
    UNBOUND;

    /** Parameter that identifies a call. */
    static final String NAME = "client_token";

    /** Whether the same call may be repeated. */
    public enum Verdict {
        NO("no"),
        YES("yes"),
        SAME_TOKEN("with the same `client_token`"),
        LOOK_FIRST("after a look whether it was done"),
        IF_IN_FLIGHT("when `in_flight_reserved` is true");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        /** Cell text of the manual's tables. */
        public String words() {
            return words;
        }
    }

    /**
     * @param repeatable see {@link RpcMethod#repeatable}
     * @param params record of the parameters
     */
    static Repetition of(boolean repeatable, Class<? extends Record> params) {
        if (repeatable) {
            return HARMLESS;
        }
        List<Shapes.Member> members = Shapes.membersOf(params);
        return members.stream().anyMatch(param -> param.name().equals(NAME)) ? BOUND : UNBOUND;
    }

    public Verdict verdict(ErrorCode code) {
        return switch (code.retry()) {
            case NO -> Verdict.NO;
            case LATER, WHEN_DUE -> Verdict.YES;
            case IF_IN_FLIGHT -> Verdict.IF_IN_FLIGHT;
            case WITH_TOKEN ->
                switch (this) {
                    case HARMLESS -> Verdict.YES;
                    case BOUND -> Verdict.SAME_TOKEN;
                    case UNBOUND -> Verdict.LOOK_FIRST;
                };
        };
    }
}
