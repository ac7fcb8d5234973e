package org.chainwalletd.rpc.method.keyring;

import java.util.Optional;
import org.chainwalletd.wire.Doc;

/** Parameters of the methods that make a key. */
public record LabelParams(
        @Doc("text for people, at most 256 bytes of UTF-8, no control characters")
        Optional<String> label) {}
