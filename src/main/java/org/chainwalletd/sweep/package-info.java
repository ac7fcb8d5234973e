/** Sweeps: every spendable coin of many addresses to one. */
package org.chainwalletd.sweep;
