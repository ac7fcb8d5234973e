/**
 * Ordered start and ordered stop of the whole daemon, and the demonstration. The only package that knows all others; wired by hand.
 */
package org.chainwalletd.boot;
