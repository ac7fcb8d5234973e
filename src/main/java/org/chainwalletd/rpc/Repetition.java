package org.chainwalletd.rpc;

import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.Shapes;

/**
 * Kinds of methods by what the same call does a second time. With {@link ErrorCode#retry} they decide whether a call that ended with an error may be
 * made again: the reference page, the manual's page on retries, the help of a method and the exit codes of the command line all ask here.
 */
public enum Repetition {
    /** Methods whose calls change nothing, or nothing more the second time. */
    HARMLESS,
    /** Methods whose second call with the same {@code client_token} finds what the first one did. */
    BOUND,
    /** Other methods: a second call can do the same again. */
    UNBOUND;

    /** Parameter that names a call. */
    static final String NAME = "client_token";

    /** Whether the same call may be made again. */
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

        /** Cell of the manual's tables. */
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
