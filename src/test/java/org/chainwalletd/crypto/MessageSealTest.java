package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MessageSealTest {
    private static final byte[] MESSAGE = "pay nobody".getBytes(StandardCharsets.UTF_8);
    private static final byte[] CONTEXT = {1, 2, 3};

    private final MessageSeal seal = new MessageSeal(key(7));

    private static byte[] key(int filling) {
        byte[] key = new byte[MessageSeal.KEY_BYTES];
        Arrays.fill(key, (byte) filling);
        return key;
    }

    @Test
    void a_message_is_opened_with_its_key_and_context() {
        byte[] sealed = seal.seal(MESSAGE, CONTEXT);
        assertThat(sealed).hasSize(MESSAGE.length + MessageSeal.SEAL_BYTES);
        assertThat(new MessageSeal(key(7)).open(sealed, CONTEXT)).hasValue(MESSAGE);
        assertThat(seal.seal(MESSAGE, CONTEXT)).isNotEqualTo(sealed);
    }

    @Test
    void a_message_of_another_key_or_context_or_that_was_changed_is_not_opened() {
        byte[] sealed = seal.seal(MESSAGE, CONTEXT);
        assertThat(new MessageSeal(key(8)).open(sealed, CONTEXT)).isEmpty();
        assertThat(seal.open(sealed, new byte[] {1, 2, 4})).isEmpty();
        for (int at = 0; at < sealed.length; at++) {
            byte[] changed = sealed.clone();
            changed[at] ^= 1;
            assertThat(seal.open(changed, CONTEXT)).isEmpty();
        }
        assertThat(seal.open(Arrays.copyOf(sealed, MessageSeal.SEAL_BYTES - 1), CONTEXT))
                .isEmpty();
    }
}
