package org.chainwalletd.account.endpoints;

import java.math.BigInteger;
import java.util.List;
import org.chainwalletd.stage.Causes;

/** Failure of a query of the account chain. RPC callers get error -32020 for all of them. Endpoints are named by host and port only. */
public abstract sealed class AccountException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private AccountException(String message) {
        super(message, null, false, false);
    }

    /** Describes a failure in one line, without the exceptions that stages wrap around it. */
    public static String words(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    /** Signals that no answer came in time. The request may or may not have arrived. */
    public static final class Unreachable extends AccountException {
        private static final long serialVersionUID = 1L;

        public Unreachable(String endpoint, String why) {
            super("account-chain endpoint " + endpoint + " gives no answer: " + why);
        }
    }

    /** Signals that the endpoint returned a JSON-RPC error. */
    public static final class Refused extends AccountException {
        private static final long serialVersionUID = 1L;

        private final long code;
        private final String words;

        public Refused(String endpoint, long code, String words) {
            super("account-chain endpoint " + endpoint + " refuses: " + words + " (" + code + ")");
            this.code = code;
            this.words = words;
        }

        public long code() {
            return code;
        }

        /** Returns the endpoint's error text, cut to a readable length. */
        public String words() {
            return words;
        }
    }

    /** Signals an answer that has the wrong shape, is too long, or contradicts the query. */
    public static final class BadAnswer extends AccountException {
        private static final long serialVersionUID = 1L;

        public BadAnswer(String endpoint, String what) {
            super("account-chain endpoint " + endpoint + " answers nonsense: " + what);
        }
    }

    /** Signals that an endpoint is on another chain than the configured one. */
    public static final class WrongChain extends AccountException {
        private static final long serialVersionUID = 1L;

        public WrongChain(String endpoint, BigInteger expected, BigInteger reported) {
            super("account-chain endpoint " + endpoint + " is on chain " + reported + ", not " + expected);
        }
    }

    /** Signals that no endpoint has accepted a transaction, which does not prove that none has it. */
    public static final class NotTaken extends AccountException {
        private static final long serialVersionUID = 1L;

        private final boolean refusedByAll;
        private final boolean outbid;

        /**
         * @param refusedByAll whether every endpoint rejected it, none of them with "nonce too low"
         * @param outbid whether an endpoint keeps another transaction with the same nonce because this one does not pay enough more
         */
        public NotTaken(boolean refusedByAll, boolean outbid, List<String> answers) {
            super("no account-chain endpoint takes the transaction: " + String.join("; ", answers));
            this.refusedByAll = refusedByAll;
            this.outbid = outbid;
        }

        public boolean refusedByAll() {
            return refusedByAll;
        }

        public boolean outbid() {
            return outbid;
        }
    }

    /** Signals that fewer endpoints than the quorum gave the same answer. */
    public static final class Disagreement extends AccountException {
        private static final long serialVersionUID = 1L;

        private final boolean contradicted;

        /**
         * @param contradicted whether answers differ, rather than only being missing
         * @param answers name and answer of each endpoint
         */
        public Disagreement(int quorum, boolean contradicted, List<String> answers) {
            super("fewer than " + quorum + " account-chain endpoints agree: " + String.join("; ", answers));
            this.contradicted = contradicted;
        }

        public boolean contradicted() {
            return contradicted;
        }
    }
}
