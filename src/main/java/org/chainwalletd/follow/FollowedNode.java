package org.chainwalletd.follow;

import org.chainwalletd.node.NodeClient;

/**
 * Configured node, as the follower sees it.
 *
 * @param name for the log
 * @param client asks this node only, once
 */
public record FollowedNode(String name, NodeClient client) {}
