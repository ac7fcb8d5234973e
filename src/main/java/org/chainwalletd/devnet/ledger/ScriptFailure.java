package org.chainwalletd.devnet.ledger;

/** An HTLC program did not end in true; the message is the reason in a node's words (chain protocol, section 10.4). */
final class ScriptFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private ScriptFailure(String message) {
        super(message, null, false, false);
    }

    static ScriptFailure witness(String detail) {
        return new ScriptFailure("script evaluation failed: WitnessError(\"" + detail + "\")");
    }

    static ScriptFailure datum(String detail) {
        return new ScriptFailure("datum resolution failed: " + detail);
    }

    static ScriptFailure returnedFalse() {
        return new ScriptFailure("script returned Bool(false) (expected Bool(true) or Right(Unit))");
    }

    static ScriptFailure budget(long steps, long budget) {
        return new ScriptFailure("total script cost " + steps + " exceeds per-transaction budget " + budget);
    }
}
