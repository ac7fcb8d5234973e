/** The entry point and nothing else: the launcher starts {@link org.chainwalletd.Main}, which hands the words to {@code cli}. */
package org.chainwalletd;
