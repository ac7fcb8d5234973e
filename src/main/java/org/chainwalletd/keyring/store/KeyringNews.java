package org.chainwalletd.keyring.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.evm.EvmAddress;

/**
 * Changes of a keyring shared by several daemons, see {@link KeyringStore.Shared#since}.
 *
 * @param commit newest commit that is completely included; changes of later commits may be included too
 * @param changed new keys, and new values of existing keys
 * @param nextIndex index of the next legacy HD key, u32
 * @param members other members of the record by name, as JSON text in UTF-8
 * @param keptEvm all addresses of account-chain keys that have their own place
 */
public record KeyringNews(
        long commit,
        List<KeyEntry> changed,
        Map<Address, KeyNote> notes,
        Set<Address> deleted,
        long nextIndex,
        Map<String, byte[]> members,
        Set<EvmAddress> keptEvm) {}
