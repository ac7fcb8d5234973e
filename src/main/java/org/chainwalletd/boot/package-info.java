/** Ordered startup and shutdown of the whole daemon, and the demonstrations. Only this package depends on all others; they are wired by hand. */
package org.chainwalletd.boot;
