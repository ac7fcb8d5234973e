/**
 * Tests of the packaged program from outside: started through the launcher, called over HTTP, killed by signals.
 *
 * <p>Run by {@code mvn verify} after packaging; uses no class of the daemon except its client.
 */
package org.chainwalletd.blackbox;
