package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;

/** Brings together what {@code state.json} lists and the public keys that are known. */
public final class StateReader {
    private StateReader() {}

    /**
     * @throws IOException when {@code json} is not such a file; the message says where it is wrong
     */
    public static KeyringView read(byte[] json, PublicKeyFiles.Found keys) throws IOException {
        Optional<KeyringView> plain = StateScanner.scan(json, keys);
        return plain.isPresent() ? plain.get() : parsed(json, keys);
    }

    /** Any such file. */
    public static KeyringView parsed(byte[] json, PublicKeyFiles.Found keys) throws IOException {
        StateJson state = StateJson.parse(json);
        Set<Address> alone = new HashSet<>(state.imported());
        List<KeyEntry> entries = new ArrayList<>(state.derived().size() + alone.size());
        state.derived().entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.naturalOrder()))
                .forEach(derived -> entries.add(entry(
                        state,
                        keys,
                        derived.getKey(),
                        OptionalLong.of(derived.getValue()),
                        alone.contains(derived.getKey()))));
        for (Address address : state.imported()) {
            if (!state.derived().containsKey(address)) {
                entries.add(entry(state, keys, address, OptionalLong.empty(), true));
            }
        }
        return KeyringView.of(entries, state.nextIndex(), state.unknownMembers());
    }

    private static KeyEntry entry(
            StateJson state, PublicKeyFiles.Found keys, Address address, OptionalLong index, boolean imported) {
        return new KeyEntry(
                address,
                keys.of(address),
                index,
                Optional.ofNullable(state.labels().get(address)),
                imported);
    }
}
