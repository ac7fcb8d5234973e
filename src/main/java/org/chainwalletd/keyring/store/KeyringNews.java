package org.chainwalletd.keyring.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.evm.EvmAddress;

/**
 * Changes of a keyring that several daemons share, see {@link KeyringStore#since}.
 *
 * @param commit that they include; changes by later ones may be among them
 * @param changed new keys, and new values of others
 * @param nextIndex of the legacy seed, u32
 * @param members further facts by name, as JSON text in UTF-8
 * @param keptEvm all addresses of account-chain keys that have a place by their own address
 */
public record KeyringNews(
        long commit,
        List<KeyEntry> changed,
        Map<Address, KeyNote> notes,
        Set<Address> deleted,
        long nextIndex,
        Map<String, byte[]> members,
        Set<EvmAddress> keptEvm) {}
