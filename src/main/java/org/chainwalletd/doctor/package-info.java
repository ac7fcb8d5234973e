/**
 * Looks at an installation without changing it: configuration, datadir, nodes, clock and machine, one line for each finding with what to do
 * about it. Used by the {@code doctor} subcommand only.
 */
package org.chainwalletd.doctor;
