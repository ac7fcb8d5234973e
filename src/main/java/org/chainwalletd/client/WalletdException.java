package org.chainwalletd.client;

import com.fasterxml.jackson.databind.JsonNode;

/** A call that gave no result. */
public abstract sealed class WalletdException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WalletdException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The daemon answered with an error object. */
    public static final class RpcError extends WalletdException {
        private static final long serialVersionUID = 1L;

        private final int code;
        private final transient JsonNode data;

        RpcError(int code, String message, JsonNode data) {
            super(message, null);
            this.code = code;
            this.data = data;
        }

        public int code() {
            return code;
        }

        /** The error's payload, or null. */
        public JsonNode data() {
            return data;
        }

        public Kind kind() {
            return Kind.of(code);
        }
    }

    /** What an error code means to a caller; unknown codes are {@link #OTHER} (interface.md, section 7.6). */
    public enum Kind {
        PARSE(-32700),
        METHOD_NOT_FOUND(-32601),
        INVALID_PARAMS(-32602),
        INTERNAL(-32603),
        AUTHENTICATION(-32001),
        WALLET_NOT_FOUND(-32010),
        WALLET_EXISTS(-32011),
        UPSTREAM(-32020),
        TX_AUTH(-32036),
        INSUFFICIENT_BALANCE(-32031),
        OTHER(0);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return OTHER;
        }
    }

    /** No JSON-RPC answer: unreachable, not JSON, bad framing, time-out. Whether the call was carried out is unknown. */
    public static non-sealed class Transport extends WalletdException {
        private static final long serialVersionUID = 1L;

        Transport(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The server's certificate is not the pinned one. Never to be retried. */
    public static final class FingerprintMismatch extends Transport {
        private static final long serialVersionUID = 1L;

        FingerprintMismatch(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
