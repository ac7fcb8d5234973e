package org.chainwalletd.devnet.indexer;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;

/** All HTLCs of the chain: found by the template, settled by either encoding of the selector. */
final class HtlcRows {
    /** Settlement from the point of view of one of the two parties. */
    record Seen(Address observer, Address counterparty, Htlc htlc) {}

    private final ChainProfile profile;
    private final NavigableMap<Place, Htlc> all = new TreeMap<>();
    private final Map<Outpoint, Htlc> byOutpoint = new HashMap<>();
    private final NavigableMap<Hash256, NavigableMap<Outpoint, Htlc>> byHashLock = new TreeMap<>();
    private final Map<Address, NavigableMap<Place, Seen>> settlements = new HashMap<>();

    HtlcRows(ChainProfile profile) {
        this.profile = profile;
    }

    void created(Outpoint outpoint, TxOutput output, long height, Undo undo) {
        HtlcScript.recognise(output.script())
                .map(params -> new Htlc(outpoint, params, output.value(), height, null))
                .ifPresent(htlc -> {
                    put(htlc);
                    undo.add(() -> remove(htlc));
                });
    }

    /** Records the spend of an output; does nothing when the output is not an HTLC. */
    void spent(Outpoint outpoint, Witness witness, Hash256 by, long inputIndex, long height, Undo undo) {
        Htlc locked = byOutpoint.get(outpoint);
        if (locked == null) {
            return;
        }
        HtlcWitness.classify(witness).ifPresent(spend -> {
            Htlc settled = locked.settled(new Htlc.Settlement(
                    by, inputIndex, height, spend instanceof HtlcSpend.Claim claim ? claim.preimage() : null));
            put(settled);
            see(settled, undo);
            undo.add(() -> put(locked));
        });
    }

    private void see(Htlc settled, Undo undo) {
        Address sender = address(settled.params().sender());
        Address receiver = address(settled.params().receiver());
        see(new Seen(sender, receiver, settled), undo);
        see(new Seen(receiver, sender, settled), undo);
    }

    private void see(Seen seen, Undo undo) {
        Htlc htlc = seen.htlc();
        Place place = new Place(
                htlc.settlement().height(),
                htlc.outpoint().txId(),
                htlc.outpoint().index());
        settlements.computeIfAbsent(seen.observer(), any -> new TreeMap<>()).put(place, seen);
        undo.add(() -> settlements.get(seen.observer()).remove(place));
    }

    private void put(Htlc htlc) {
        byOutpoint.put(htlc.outpoint(), htlc);
        all.put(placeOf(htlc), htlc);
        byHashLock
                .computeIfAbsent(htlc.params().hashLock(), any -> new TreeMap<>())
                .put(htlc.outpoint(), htlc);
    }

    private void remove(Htlc htlc) {
        byOutpoint.remove(htlc.outpoint());
        all.remove(placeOf(htlc));
        Hash256 hashLock = htlc.params().hashLock();
        byHashLock.get(hashLock).remove(htlc.outpoint());
        if (byHashLock.get(hashLock).isEmpty()) {
            byHashLock.remove(hashLock);
        }
    }

    static Place placeOf(Htlc htlc) {
        return new Place(
                htlc.lockHeight(), htlc.outpoint().txId(), htlc.outpoint().index());
    }

    private Address address(PublicKey key) {
        return profile.addressOf(key);
    }

    Htlc at(Outpoint outpoint) {
        return byOutpoint.get(outpoint);
    }

    NavigableMap<Place, Htlc> all() {
        return all;
    }

    /** HTLCs with this hash lock, in the order of their outpoints. */
    Collection<Htlc> of(Hash256 hashLock) {
        return byHashLock.getOrDefault(hashLock, new TreeMap<>()).values();
    }

    NavigableMap<Hash256, NavigableMap<Outpoint, Htlc>> byHashLock() {
        return byHashLock;
    }

    NavigableMap<Place, Seen> settlementsOf(Address observer) {
        return settlements.getOrDefault(observer, new TreeMap<>());
    }
}
