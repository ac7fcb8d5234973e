package org.chainwalletd.keyring;

import java.util.Set;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringProtocol.Command;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;

/**
 * State that the parts of the Keyring actor share, on its thread alone.
 *
 * @param moving addresses that are on their way in or out
 * @param leaving those of them that are on their way out
 */
record KeyringParts(
        ActorContext<Command> context,
        KeyTable table,
        StateWrites writes,
        KeyringStore store,
        KeyWork work,
        Set<Address> moving,
        Set<Address> leaving,
        SecretBytes passphrase,
        KeyringSetup.Executors executors) {}
