package org.chainwalletd.testkit.evm;

import java.util.Optional;
import org.chainwalletd.chain.Bytes;

/** Error of the chain, as sent over the wire. */
final class EvmRefusal extends RuntimeException {
    static final int REVERTED = 3;
    static final int SERVER = -32_000;
    static final int NOT_FOUND = -32_001;
    static final int REJECTED = -32_003;
    static final int NO_METHOD = -32_601;
    static final int BAD_PARAMS = -32_602;

    private static final long serialVersionUID = 1;

    private final int code;
    private final transient Optional<Bytes> data;

    EvmRefusal(int code, String message) {
        super(message);
        this.code = code;
        this.data = Optional.empty();
    }

    /** Creates the error of a call that reverted. */
    EvmRefusal(TimeLock.Reverted reverted) {
        super("execution reverted"
                + reverted.reason().map(reason -> ": " + reason).orElse(""));
        this.code = REVERTED;
        this.data = Optional.of(reverted.data());
    }

    int code() {
        return code;
    }

    Optional<Bytes> data() {
        return data;
    }
}
