package org.chainwalletd.keyring;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.chainwalletd.keyring.KeyringException.Reason;

/** What may be a label: text for people, at most {@value #MAX_BYTES} bytes of UTF-8, without control characters. */
final class Labels {
    static final int MAX_BYTES = 256;

    private Labels() {}

    /** @throws KeyringException with {@link Reason#INVALID} */
    static void check(Optional<String> label) {
        label.ifPresent(text -> {
            if (text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
                throw new KeyringException(Reason.INVALID, "label is longer than " + MAX_BYTES + " bytes");
            }
            boolean plain = text.codePoints()
                    .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
            if (!plain) {
                throw new KeyringException(Reason.INVALID, "label has control characters or broken text");
            }
        });
    }
}
