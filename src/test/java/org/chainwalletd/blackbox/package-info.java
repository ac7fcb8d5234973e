/**
 * The packaged program seen from outside: started through the launcher, spoken to over HTTP, killed by signals.
 *
 * <p>Run by {@code mvn verify} after packaging; nothing here calls a class of the daemon but its client.
 */
package org.chainwalletd.blackbox;
