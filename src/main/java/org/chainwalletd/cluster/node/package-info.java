/** Implementation of {@link org.chainwalletd.cluster.Node} with Pekko Cluster; loaded by {@code cluster.Nodes} alone. */
package org.chainwalletd.cluster.node;
