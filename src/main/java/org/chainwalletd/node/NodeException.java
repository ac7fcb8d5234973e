package org.chainwalletd.node;

/** A call to the nodes, or to indexers, that gave no usable result. */
public abstract sealed class NodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NodeException(String message) {
        super(message, null, false, false);
    }

    /** A node answered with a JSON-RPC error; never failed over (interface.md, section 1.7). */
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

        /**
         * @param noun what the one who refused is called
         */
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

        /** Refusal that a node would give, so that it was not asked. */
        public static Rejected foreseen(int code, String text) {
            return new Rejected(UpstreamKind.NODE.noun(), code, text, true, true);
        }

        /** Whether the call was sent to nobody. */
        public boolean isForeseen() {
            return foreseen && onlyAttempt;
        }

        /** Returns this refusal, marked as preceded by attempts of the same call that may have reached a node although their answers were lost. */
        public Rejected afterLostAnswers() {
            return new Rejected(noun, code, text, false, foreseen);
        }

        /** Whether no other attempt of this call can have been executed by a node. */
        public boolean onlyAttempt() {
            return onlyAttempt;
        }

        public int code() {
            return code;
        }

        /** The node's own words. */
        public String text() {
            return text;
        }
    }

    /** Signals that no node gave a JSON-RPC answer within all sweeps; whether a broadcast arrived is unknown. The message names the last URL. */
    public static final class Unreachable extends NodeException {
        private static final long serialVersionUID = 1L;

        private final boolean mayHaveArrived;

        public Unreachable(String message) {
            this(message, true);
        }

        Unreachable(String message, boolean mayHaveArrived) {
            super(message);
            this.mayHaveArrived = mayHaveArrived;
        }

        /** Whether a node may have executed the call. */
        public boolean mayHaveArrived() {
            return mayHaveArrived;
        }
    }

    /** A node answered with something that has not the shape or limits of the protocol. */
    public static final class BadAnswer extends NodeException {
        private static final long serialVersionUID = 1L;

        public BadAnswer(String message) {
            super(message);
        }
    }

    /** The nodes are of another chain than the one this daemon signs for: nothing is signed, or no node was asked. */
    public static final class WrongChain extends NodeException {
        private static final long serialVersionUID = 1L;

        private final boolean signing;

        /** Nothing is signed or sent. */
        public WrongChain(String message) {
            this(message, true);
        }

        private WrongChain(String message, boolean signing) {
            super(message);
            this.signing = signing;
        }

        /** A call that no node may answer. */
        static WrongChain unasked(String why) {
            return new WrongChain("node is of another chain: " + why, false);
        }

        /** Whether a signature or a broadcast was refused, and not a question. */
        public boolean isAboutSigning() {
            return signing;
        }
    }
}
