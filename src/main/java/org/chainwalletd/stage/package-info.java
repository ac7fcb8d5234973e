/** Helpers around the JDK that every package needs: its stages, and the signals that it hears. Uses nothing, and everybody may use it. */
package org.chainwalletd.stage;
