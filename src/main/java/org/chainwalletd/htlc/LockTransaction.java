package org.chainwalletd.htlc;

import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.spend.SpendException;
import org.chainwalletd.spend.SpendRefusal;

/**
 * A transaction whose id was computed from its bytes: what its outputs are worth and how they are locked is proved.
 *
 * @param confirmed whether a node says that it is in a block
 */
record LockTransaction(Transaction transaction, boolean confirmed) {
    /**
     * The output at {@code lock}, which is exactly the HTLC of {@code expected} (chain protocol, section 15) and can be spent without
     * anything else.
     *
     * @throws RefusedException -32036 when it is another output, or none
     * @throws SpendException when it can never be spent with what the daemon is given
     */
    TxOutput authenticated(Outpoint lock, HtlcParams expected) {
        TxOutput output = output(lock, expected);
        if (output.datumHash() != null && output.datum() == null) {
            throw new SpendException(new SpendRefusal.BuildFailed("the output " + lock
                    + " commits to a datum by its hash only: whoever spends it must supply the datum as redeemer, which this"
                    + " daemon cannot; nothing was broadcast"));
        }
        return output;
    }

    /**
     * The same, whatever datum it carries.
     *
     * @throws RefusedException -32036 when it is another output, or none
     */
    TxOutput output(Outpoint lock, HtlcParams expected) {
        if (lock.index() >= transaction.outputs().size()) {
            throw mismatch(
                    lock, "the transaction has only " + transaction.outputs().size() + " outputs");
        }
        TxOutput output = transaction.outputs().get((int) lock.index());
        if (!output.script().equals(HtlcScript.build(expected))) {
            throw mismatch(lock, difference(output.script(), expected));
        }
        return output;
    }

    /** The output on the chain is not the one that the parameters describe, or a node answered with other bytes than asked for. */
    static RefusedException mismatch(Outpoint lock, String cause) {
        return new RefusedException(
                ErrorCode.HTLC_OUTPUT_AUTH,
                "the output " + lock + " is not the HTLC that the parameters describe: " + cause
                        + "; nothing was broadcast");
    }

    /** Names what differs, never what it should be: a wrong preimage stays the caller's. */
    private static String difference(Bytes script, HtlcParams expected) {
        return HtlcScript.recognise(script)
                .map(actual -> {
                    if (!actual.hashLock().equals(expected.hashLock())) {
                        return "its hash lock is another one (wrong preimage or hash_lock)";
                    }
                    if (actual.timeoutHeight() != expected.timeoutHeight()) {
                        return "its timeout is another one";
                    }
                    return actual.sender().equals(expected.sender())
                            ? "its receiver is another key"
                            : "its sender is another key";
                })
                .orElse("its script is no HTLC");
    }
}
