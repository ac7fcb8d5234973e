package org.chainwalletd.wire;

import java.util.List;

/** Parameter that is a single value or a nonempty array. */
public record OneOrMore<T>(List<T> items) {
    public OneOrMore {
        items = List.copyOf(items);
    }
}
