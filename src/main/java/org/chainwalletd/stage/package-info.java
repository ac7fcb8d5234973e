/** Helpers that every package needs: the JDK's stages, signals, and how actors are put under the guardian. Uses nothing, and everybody may use it. */
package org.chainwalletd.stage;
