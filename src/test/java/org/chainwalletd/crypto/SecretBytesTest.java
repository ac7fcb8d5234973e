package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class SecretBytesTest {
    @Test
    void closing_overwrites_the_array_that_was_taken_over() {
        byte[] content = {1, 2, 3};
        SecretBytes secret = SecretBytes.takeOver(content);

        secret.close();
        secret.close();

        assertThat(content).containsOnly(0);
        assertThat(secret.isClosed()).isTrue();
        assertThat(secret.length()).isEqualTo(3);
    }

    @Test
    void a_closed_secret_refuses_every_use() {
        SecretBytes secret = SecretBytes.takeOver(new byte[] {1});
        secret.close();

        assertThatIllegalStateException().isThrownBy(secret::copy);
        assertThatIllegalStateException().isThrownBy(secret::duplicate);
        assertThatIllegalStateException().isThrownBy(() -> secret.use(content -> content.length));
    }

    @Test
    void copies_live_on_after_their_source_is_closed() {
        byte[] original = {1, 2, 3};
        SecretBytes secret = SecretBytes.copyOf(original);
        byte[] copy = secret.copy();
        SecretBytes duplicate = secret.duplicate();

        secret.close();

        assertThat(original).containsExactly(1, 2, 3);
        assertThat(copy).containsExactly(1, 2, 3);
        assertThat(duplicate.copy()).containsExactly(1, 2, 3);
    }

    @Test
    void the_text_form_shows_no_content() {
        SecretBytes secret = SecretBytes.takeOver(new byte[] {0x61, 0x62, 0x63});

        assertThat(secret.toString()).isEqualTo("SecretBytes[3 bytes]");
    }

    @Test
    void equal_content_does_not_make_secrets_equal() {
        SecretBytes secret = SecretBytes.takeOver(new byte[] {1});

        assertThat(secret).isNotEqualTo(secret.duplicate());
    }

    @Test
    void closing_inside_a_use_takes_effect_at_its_end() {
        byte[] content = {5};
        SecretBytes secret = SecretBytes.takeOver(content);

        byte seen = secret.use(bytes -> {
            secret.close();
            return bytes[0];
        });

        assertThat(seen).isEqualTo((byte) 5);
        assertThat(content).containsOnly(0);
    }

    @Test
    void closing_during_a_use_of_another_thread_waits_for_its_end_without_blocking() throws Exception {
        byte[] content = {5};
        SecretBytes secret = SecretBytes.takeOver(content);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        CompletableFuture<Byte> seen = new CompletableFuture<>();
        Thread user = new Thread(() -> seen.complete(secret.<Byte, RuntimeException>use(bytes -> {
            inside.countDown();
            Await.opened(closed);
            return bytes[0];
        })));
        user.start();
        Await.opened(inside);

        secret.close();
        closed.countDown();

        assertThat(Await.outcome(seen)).isEqualTo((byte) 5);
        Await.end(user);
        assertThat(content).containsOnly(0);
    }

    @Test
    void a_use_that_fails_still_releases_the_secret() {
        byte[] content = {5};
        SecretBytes secret = SecretBytes.takeOver(content);
        assertThatIllegalStateException()
                .isThrownBy(() -> secret.use(bytes -> {
                    throw new IllegalStateException("of the user");
                }));

        secret.close();

        assertThat(content).containsOnly(0);
    }
}
