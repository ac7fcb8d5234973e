package org.chainwalletd.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** Failure of a call (interface.md, section 7.6). */
public abstract sealed class WalletdException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WalletdException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns this failure for a caller that blocked, with the caller's stack trace as a suppressed exception. */
    WalletdException thrownHere() {
        addSuppressed(new Throwable("the call was made here"));
        return this;
    }

    /** The daemon answered with an error object; common codes have a subclass each. */
    public static sealed class RpcError extends WalletdException {
        private static final long serialVersionUID = 1L;

        private final int code;
        private final transient JsonNode data;

        private RpcError(int code, String message, JsonNode data) {
            super(message, null);
            this.code = code;
            this.data = data;
        }

        static RpcError of(int code, String message, JsonNode data) {
            return switch (Kind.of(code)) {
                case PARSE -> new Parse(code, message, data);
                case METHOD_NOT_FOUND -> new MethodNotFound(code, message, data);
                case INVALID_PARAMS -> new InvalidParams(code, message, data);
                case INTERNAL -> new Internal(code, message, data);
                case AUTHENTICATION -> new Authentication(code, message, data);
                case WALLET_NOT_FOUND -> new WalletNotFound(code, message, data);
                case WALLET_EXISTS -> new WalletExists(code, message, data);
                case UPSTREAM -> new Upstream(code, message, data);
                case TX_AUTH -> new TxAuth(code, message, data);
                case INSUFFICIENT_BALANCE -> new InsufficientBalance(code, message, data);
                case OTHER -> new RpcError(code, message, data);
            };
        }

        public final int code() {
            return code;
        }

        /** The error's payload, or null. */
        public final JsonNode data() {
            return data;
        }

        /** A member of the payload. */
        public final Optional<JsonNode> data(String member) {
            return Optional.ofNullable(data).map(payload -> payload.get(member));
        }

        public final Kind kind() {
            return Kind.of(code);
        }
    }

    /** The daemon could not read the request as JSON. */
    public static final class Parse extends RpcError {
        private static final long serialVersionUID = 1L;

        private Parse(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** The daemon has no such method. */
    public static final class MethodNotFound extends RpcError {
        private static final long serialVersionUID = 1L;

        private MethodNotFound(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** A parameter is missing, unknown or wrong; nothing was done. */
    public static final class InvalidParams extends RpcError {
        private static final long serialVersionUID = 1L;

        private InvalidParams(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** A fault in the daemon; whether the call was carried out is unknown. */
    public static final class Internal extends RpcError {
        private static final long serialVersionUID = 1L;

        private Internal(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** The token is wrong, or its scope is too low for the method. */
    public static final class Authentication extends RpcError {
        private static final long serialVersionUID = 1L;

        private Authentication(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** The address does not belong to the daemon. */
    public static final class WalletNotFound extends RpcError {
        private static final long serialVersionUID = 1L;

        private WalletNotFound(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** The key already exists. */
    public static final class WalletExists extends RpcError {
        private static final long serialVersionUID = 1L;

        private WalletExists(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** The daemon's nodes failed or refused; the message says whether the outcome is unknown. */
    public static final class Upstream extends RpcError {
        private static final long serialVersionUID = 1L;

        private Upstream(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** The signature or key of a transaction was not accepted. */
    public static final class TxAuth extends RpcError {
        private static final long serialVersionUID = 1L;

        private TxAuth(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** Insufficient balance, either temporarily or in total: see {@code in_flight_reserved} in the payload. */
    public static final class InsufficientBalance extends RpcError {
        private static final long serialVersionUID = 1L;

        private InsufficientBalance(int code, String message, JsonNode data) {
            super(code, message, data);
        }
    }

    /** Meaning of an error code to a caller; unknown codes are {@link #OTHER}. */
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

    /** No JSON-RPC answer: unreachable, not JSON, bad framing, timeout. Whether the call was carried out is unknown. */
    public static sealed class Transport extends WalletdException {
        private static final long serialVersionUID = 1L;

        Transport(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The server's certificate is not the pinned one. Must not be retried. */
    public static final class FingerprintMismatch extends Transport {
        private static final long serialVersionUID = 1L;

        FingerprintMismatch(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
