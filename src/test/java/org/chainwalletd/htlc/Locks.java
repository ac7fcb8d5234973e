package org.chainwalletd.htlc;

import static org.chainwalletd.testkit.DaemonRig.params;

import java.util.Map;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;

/** Parameters of the HTLC methods, and lock outputs as a counterparty's daemon would make them. */
public final class Locks {
    private Locks() {}

    public static TxOutput output(HtlcParams params, long amount) {
        return TxOutput.toScript(HtlcScript.build(params), Amount.of(amount));
    }

    public static Map<String, Object> lock(
            Party from, PublicKey receiver, Hash256 hashLock, Object timeout, long amount, Object... more) {
        Map<String, Object> params = params(
                "from", from.address,
                "receiver", receiver,
                "hash_lock", hashLock,
                "timeout", timeout,
                "amount", amount);
        params.putAll(params(more));
        return params;
    }

    /** @param preimage bytes or their text */
    public static Map<String, Object> claim(
            Party from, PublicKey sender, String lock, Object preimage, Object timeout, Object... more) {
        Map<String, Object> params = params(
                "from", from.address,
                "lock_tx_id", lock,
                "preimage", preimage,
                "sender", sender,
                "timeout", timeout);
        params.putAll(params(more));
        return params;
    }

    public static Map<String, Object> reclaim(
            Party from, PublicKey receiver, String lock, Hash256 hashLock, Object timeout, Object... more) {
        Map<String, Object> params = params(
                "from", from.address,
                "lock_tx_id", lock,
                "receiver", receiver,
                "hash_lock", hashLock,
                "timeout", timeout);
        params.putAll(params(more));
        return params;
    }

    /** Makes a call that spends. */
    public static String txId(DaemonRig rig, String method, Map<String, Object> params) {
        return rig.call(method, params).get("tx_id").asText();
    }
}
