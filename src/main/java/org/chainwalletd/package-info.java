/** Entry point only: the launcher starts {@link org.chainwalletd.Main}, which passes its arguments to {@code cli}. */
package org.chainwalletd;
