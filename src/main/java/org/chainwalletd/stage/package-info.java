/** Helpers for every package: stages of the JDK, signals, and spawning of actors. Depends on no other package of the daemon. */
package org.chainwalletd.stage;
