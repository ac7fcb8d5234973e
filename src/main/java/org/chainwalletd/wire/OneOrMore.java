package org.chainwalletd.wire;

import java.util.List;

/** A parameter that is one value, or an array of at least one. */
public record OneOrMore<T>(List<T> items) {
    public OneOrMore {
        items = List.copyOf(items);
    }
}
