package org.chainwalletd.follow;

import org.chainwalletd.node.NodeClient;

/**
 * One of the configured nodes.
 *
 * @param name for the log
 * @param client asks this node only, once
 */
public record FollowedNode(String name, NodeClient client) {}
