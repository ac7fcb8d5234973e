package org.chainwalletd.keyring;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import org.chainwalletd.keyring.KeyringException.Reason;

/** What the readers of a vault's parts have in common. */
final class VaultText {
    private VaultText() {}

    /** The current string as bytes. The parser's own buffer is overwritten, so that the text stays nowhere else. */
    static byte[] secret(JsonParser parser) throws IOException {
        char[] buffer = parser.getTextCharacters();
        int from = parser.getTextOffset();
        byte[] text = new byte[parser.getTextLength()];
        for (int i = 0; i < text.length; i++) {
            char c = buffer[from + i];
            text[i] = (byte) (c < 0x80 ? c : '?');
            buffer[from + i] = 0;
        }
        return text;
    }

    /** @param why ends a sentence */
    static KeyringException malformed(String why) {
        return new KeyringException(Reason.INVALID, "the vault opens, but " + why);
    }
}
