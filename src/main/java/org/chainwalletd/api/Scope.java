package org.chainwalletd.api;

import java.util.Locale;

/** Permission level of a bearer token. A higher scope contains the lower ones (interface.md, section 5.1). */
public enum Scope {
    READ,
    MANAGE,
    SPEND;

    /** Whether a token of this scope may call a method that requires {@code required}. */
    public boolean contains(Scope required) {
        return compareTo(required) >= 0;
    }

    /** Lower-case name, as in file names and tables. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
