/** Ordered start and ordered stop of the whole daemon, and the demonstration. Only this package knows all others; they are wired by hand. */
package org.chainwalletd.boot;
