/** Connections between the daemons of a database, by which they hear of changes sooner and hand calls to the one with the background work. */
package org.chainwalletd.cluster;
