/** What every package needs to work with stages of the JDK. Uses nothing, and everybody may use it. */
package org.chainwalletd.stage;
