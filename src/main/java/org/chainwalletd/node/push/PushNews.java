package org.chainwalletd.node.push;

import java.util.Set;
import org.chainwalletd.chain.Address;

/** News from the push streams of one node for the rest of the daemon. */
public sealed interface PushNews {
    /** Returns the node's URL. */
    String node();

    /** These addresses have changed, or may have changed while they were not watched: look again. */
    record Changed(String node, Set<Address> addresses) implements PushNews {}

    /** The node now pushes changes of these addresses. */
    record Watching(String node, Set<Address> addresses) implements PushNews {}

    /** Changes of these addresses are no longer pushed. */
    record Lost(String node, Set<Address> addresses) implements PushNews {}

    /**
     * The node reports a new best tip.
     *
     * @param height unsigned
     */
    record Tip(String node, long height) implements PushNews {}
}
