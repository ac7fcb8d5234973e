/** What every package needs of the JDK: its stages, and the signals that it hears. Uses nothing, and everybody may use it. */
package org.chainwalletd.stage;
