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
 * State shared by the parts of the Keyring actor; used only on its thread.
 *
 * @param moving addresses being added or removed
 * @param leaving addresses of {@code moving} that are being removed
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
