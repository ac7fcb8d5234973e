package org.chainwalletd.htlc;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.books.HtlcTable;

/**
 * Finds the HTLCs of this daemon's keys.
 *
 * @param owned whether the keyring has an address; from memory
 */
public record HtlcParties(ChainProfile profile, Predicate<Address> owned) {
    /**
     * The locks among the outputs of a transaction.
     *
     * @param height of its block, or {@link HtlcTable#NOWHERE}
     */
    List<HtlcTable.Locked> locks(Hash256 txId, Transaction tx, long height) {
        List<HtlcTable.Locked> locks = new ArrayList<>();
        for (int i = 0; i < tx.outputs().size(); i++) {
            lock(new Outpoint(txId, i), tx.outputs().get(i), height).ifPresent(locks::add);
        }
        return locks;
    }

    private Optional<HtlcTable.Locked> lock(Outpoint outpoint, TxOutput output, long height) {
        return HtlcScript.recognise(output.script()).flatMap(params -> lock(outpoint, params, output, height));
    }

    private Optional<HtlcTable.Locked> lock(Outpoint outpoint, HtlcParams params, TxOutput output, long height) {
        Address sender = profile.addressOf(params.sender());
        Address receiver = profile.addressOf(params.receiver());
        int role = (owned.test(sender) ? HtlcTable.SENDER : 0) | (owned.test(receiver) ? HtlcTable.RECEIVER : 0);
        return role == 0
                ? Optional.empty()
                : Optional.of(new HtlcTable.Locked(outpoint, params, sender, receiver, output.value(), role, height));
    }
}
