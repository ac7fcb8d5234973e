package org.chainwalletd.devnet.pool;

/** A request that the pool does not serve, with its HTTP status and the text for the caller. */
final class PoolRefusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;

    PoolRefusal(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
