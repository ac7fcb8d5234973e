package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.keyring.KeyEntry;

/** The public side of the keyring, for reads about the wallet as a whole. */
public interface ManagedKeys {
    /** All keys in the keyring's order. */
    CompletionStage<List<KeyEntry>> entries();

    /** How many keys there are, from memory. */
    int size();
}
