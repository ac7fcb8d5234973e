package org.chainwalletd.node.push;

import java.util.Set;
import org.chainwalletd.chain.Address;

/** News from the push streams of one node for the rest of the daemon. */
public sealed interface PushNews {
    /** The node's URL. */
    String node();

    /** Something about these addresses has changed, or may have while nobody watched: look again. */
    record Changed(String node, Set<Address> addresses) implements PushNews {}

    /** The node now pushes changes of these addresses. */
    record Watching(String node, Set<Address> addresses) implements PushNews {}

    /** Changes of these addresses are not told any more. */
    record Lost(String node, Set<Address> addresses) implements PushNews {}

    /**
     * The node has a new best tip, so it says.
     *
     * @param height unsigned
     */
    record Tip(String node, long height) implements PushNews {}
}
