package org.chainwalletd.chain;

/** The kinds of outputs that an input can spend, as far as its cost depends on them (chain protocol, section 7.1). */
public enum InputKind {
    PLAIN,
    HTLC;

    /**
     * The kind of an input that spends an output with this script.
     *
     * @throws IllegalArgumentException for a script that is neither an address nor an HTLC
     */
    public static InputKind ofSpentScript(Bytes script) {
        if (script.length() == Address.LENGTH) {
            return PLAIN;
        }
        if (HtlcScript.isHtlc(script)) {
            return HTLC;
        }
        throw new IllegalArgumentException("a script of " + script.length() + " bytes that is no HTLC");
    }
}
