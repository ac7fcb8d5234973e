package org.chainwalletd.keyring;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.store.CrashPoint;

/**
 * One change of the public side of the keyring, on its way to the disk.
 *
 * @param before where a test kills the process when the sealed files are there and the record is not; empty when {@code state.json} stays as
 *     it is
 * @param notes on added keys
 * @param replaced entries in the places of those with the same addresses
 * @param nextIndex index of the next legacy HD key after this change; 0 leaves it
 * @param evmKey empty leaves the account-chain key as it is
 * @param ended told on the actor's thread when the change is durable, or why it was not made
 */
record Change(
        Optional<CrashPoint> before,
        List<KeyEntry> added,
        Map<Address, KeyNote> notes,
        Map<Address, KeyEntry> replaced,
        Set<Address> removed,
        long nextIndex,
        Optional<EvmKeyChange> evmKey,
        Consumer<Optional<KeyringException>> ended) {

    static Change adding(
            CrashPoint before,
            List<KeyEntry> added,
            Map<Address, KeyNote> notes,
            Consumer<Optional<KeyringException>> ended) {
        return new Change(Optional.of(before), added, notes, Map.of(), Set.of(), 0, Optional.empty(), ended);
    }

    /** Entries whose public keys became known, which {@code state.json} does not hold. */
    static Change learning(Map<Address, KeyEntry> learnt) {
        return new Change(Optional.empty(), List.of(), Map.of(), learnt, Set.of(), 0, Optional.empty(), failure -> {});
    }

    /** Whether {@code state.json} stays as it is. */
    boolean onlyLearns() {
        return before.isEmpty();
    }

    static Change removing(Address address, Consumer<Optional<KeyringException>> ended) {
        return new Change(
                Optional.of(CrashPoint.DELETE_BEFORE_STATE),
                List.of(),
                Map.of(),
                Map.of(),
                Set.of(address),
                0,
                Optional.empty(),
                ended);
    }

    static Change ofEvmKey(
            CrashPoint before, Optional<EvmKeyRecord> after, Consumer<Optional<KeyringException>> ended) {
        return new Change(
                Optional.of(before),
                List.of(),
                Map.of(),
                Map.of(),
                Set.of(),
                0,
                Optional.of(new EvmKeyChange(after)),
                ended);
    }
}
