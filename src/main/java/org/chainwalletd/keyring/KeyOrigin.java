package org.chainwalletd.keyring;

/** How a 1:1 key came into the keyring (interface.md, section 1.5). */
public enum KeyOrigin {
    /** With a standard phrase of its own, drawn here or imported, which is sealed beside the secret. */
    STANDARD(1),
    /** Its phrase spells the secret: drawn here or imported as words. */
    INDEPENDENT(2),
    /** A secret that somebody brought, or a key of a vault without a phrase. */
    IMPORTED(3);

    private final int code;

    KeyOrigin(int code) {
        this.code = code;
    }

    /** Its number in files; never changed. */
    int code() {
        return code;
    }
}
