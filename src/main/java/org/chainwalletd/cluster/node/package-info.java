/** The node of a daemon by Pekko Cluster; loaded by {@code cluster.Nodes} alone. */
package org.chainwalletd.cluster.node;
