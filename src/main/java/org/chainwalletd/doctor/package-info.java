/**
 * Examines an installation without changing it: configuration, datadir, nodes, clock and machine. Prints one line per finding, with the
 * remedy. Used only by the {@code doctor} subcommand.
 */
package org.chainwalletd.doctor;
