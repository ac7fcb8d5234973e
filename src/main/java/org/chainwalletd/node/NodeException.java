package org.chainwalletd.node;

/** A call to nodes or indexers without a usable result. */
public abstract sealed class NodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NodeException(String message) {
        super(message, null, false, false);
    }

    /** A node answered with a JSON-RPC error; no failover takes place (interface.md, section 1.7). */
    public static final class Rejected extends NodeException {
        private static final long serialVersionUID = 1L;

        private final String noun;
        private final int code;
        private final String text;
        private final boolean onlyAttempt;
        private final boolean foreseen;

        public Rejected(int code, String text) {
            this(UpstreamKind.NODE.noun(), code, text);
        }

        /** @param noun name for the upstream in messages */
        Rejected(String noun, int code, String text) {
            this(noun, code, text, true, false);
        }

        private Rejected(String noun, int code, String text, boolean onlyAttempt, boolean foreseen) {
            super(noun + " error " + code + ": " + text);
            this.noun = noun;
            this.code = code;
            this.text = text;
            this.onlyAttempt = onlyAttempt;
            this.foreseen = foreseen;
        }

        /** Creates the refusal that a node would give, for a call that is not sent because of it. */
        public static Rejected foreseen(int code, String text) {
            return new Rejected(UpstreamKind.NODE.noun(), code, text, true, true);
        }

        /** Returns whether the call was not sent to any node. */
        public boolean isForeseen() {
            return foreseen && onlyAttempt;
        }

        /** Returns this refusal, marked as preceded by attempts of the same call that may have reached a node although their answers were lost. */
        public Rejected afterLostAnswers() {
            return new Rejected(noun, code, text, false, foreseen);
        }

        /** Returns whether no other attempt of this call can have been executed by a node. */
        public boolean onlyAttempt() {
            return onlyAttempt;
        }

        public int code() {
            return code;
        }

        /** Returns the node's error text. */
        public String text() {
            return text;
        }
    }

    /** No node gave a JSON-RPC answer within all sweeps; whether a broadcast arrived is unknown. The message names the last URL. */
    public static final class Unreachable extends NodeException {
        private static final long serialVersionUID = 1L;

        private final String lastFailure;
        private final boolean mayHaveArrived;

        public Unreachable(String message) {
            this(message, true);
        }

        Unreachable(String message, boolean mayHaveArrived) {
            this(message, message, mayHaveArrived);
        }

        /** @param lastFailure why the last node tried gave no answer */
        Unreachable(String message, String lastFailure, boolean mayHaveArrived) {
            super(message);
            this.lastFailure = lastFailure;
            this.mayHaveArrived = mayHaveArrived;
        }

        /** Returns why the last node tried gave no answer, without its URL. */
        String lastFailure() {
            return lastFailure;
        }

        /** Returns whether a node may have executed the call. */
        public boolean mayHaveArrived() {
            return mayHaveArrived;
        }
    }

    /** A node's answer violates the protocol's shape or limits. */
    public static final class BadAnswer extends NodeException {
        private static final long serialVersionUID = 1L;

        public BadAnswer(String message) {
            super(message);
        }
    }

    /** The nodes are of another chain than the one that this daemon signs for: nothing is signed, or no node was asked. */
    public static final class WrongChain extends NodeException {
        private static final long serialVersionUID = 1L;

        private final boolean signing;

        /** Creates the failure of a signature or broadcast. */
        public WrongChain(String message) {
            this(message, true);
        }

        private WrongChain(String message, boolean signing) {
            super(message);
            this.signing = signing;
        }

        /** Creates the failure of a call that no node may answer. */
        static WrongChain unasked(String why) {
            return new WrongChain("node is of another chain: " + why, false);
        }

        /** Returns whether a signature or a broadcast was refused, rather than a read. */
        public boolean isAboutSigning() {
            return signing;
        }
    }
}
