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
     * The id to sign with. Asks a node only when nothing is known yet; afterwards it answers from memory, without an upstream call.
     * Fails with {@link NodeException.WrongChain} when the nodes in use report another chain.
     */
    CompletionStage<Hash256> genesisForSigning();

    /** The configured or pinned id, empty before first contact. */
    Optional<Hash256> expected();

    /** Complaint about the nodes' chain, for {@code get_status} and {@code readyz}; empty when there is none. */
    Optional<String> complaint();
}
