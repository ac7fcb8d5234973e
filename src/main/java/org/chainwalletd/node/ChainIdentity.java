package org.chainwalletd.node;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;

/**
 * Identity of the chain that is signed for (chain protocol, section 5; decisions.md, requirement 8): the configured genesis id, or the first one
 * seen, pinned in the datadir.
 */
public interface ChainIdentity {
    /**
     * Returns the genesis id to sign with. Asks the nodes only while none is known; afterwards it answers from memory. Fails with {@link
     * NodeException.WrongChain} when the nodes in use report another chain.
     */
    CompletionStage<Hash256> genesisForSigning();

    /** Returns the configured or pinned id; empty before first contact with a node. */
    Optional<Hash256> expected();

    /** Returns the complaint about the nodes' chain for {@code get_status} and {@code readyz}; empty when there is none. */
    Optional<String> complaint();
}
