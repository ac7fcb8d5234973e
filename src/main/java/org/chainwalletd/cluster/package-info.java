/** Connections between the daemons of a database, which speed up the notice of changes and forward calls to the daemon with the background work. */
package org.chainwalletd.cluster;
