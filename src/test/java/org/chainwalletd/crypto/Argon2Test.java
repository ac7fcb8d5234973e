package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.Block;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

class Argon2Test {
    @Test
    void agrees_with_the_argon2id_vector_of_rfc9106_section53() {
        byte[] tag = new byte[32];
        new Argon2(32, 3, 4).hash(filled(32, 1), filled(16, 2), filled(8, 3), filled(12, 4), tag);

        assertThat(HexFormat.of().formatHex(tag))
                .isEqualTo("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
    }

    @Test
    void agrees_with_the_reference_implementation_without_secret_and_data() {
        byte[] salt = "somesalt".getBytes(StandardCharsets.US_ASCII);
        byte[] passphrase = "password".getBytes(StandardCharsets.US_ASCII);
        try (SecretBytes key = new Argon2(65_536, 2, 1).derive(passphrase, salt)) {
            assertThat(key.<String, RuntimeException>use(HexFormat.of()::formatHex))
                    .isEqualTo("09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7");
        }
        assertThat(passphrase).asString(StandardCharsets.US_ASCII).isEqualTo("password");
    }

    @Test
    void the_specified_cost_is64_mib_three_passes_one_lane() {
        assertThat(Argon2.SPECIFIED).isEqualTo(new Argon2(65_536, 3, 1));
    }

    @Test
    void a_cost_that_argon2_does_not_know_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(7, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(8, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(8, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(15, 1, 2));
    }

    /** Repeats the reference vector between computations of other inputs and concurrently with another one. */
    @Test
    void memory_that_was_used_before_changes_no_result() {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 2; i++) {
                Future<?> beside = other.submit(() ->
                        Argon2.SPECIFIED.derive(new byte[3], filled(16, 7)).close());
                agrees_with_the_reference_implementation_without_secret_and_data();
                Await.outcome(beside);
            }
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void memory_is_kept_for_the_next_computation_but_never_for_two() {
        Argon2.Argon2Memory.take(8).giveBack();
        Argon2.Argon2Memory first = Argon2.Argon2Memory.take(8);
        Argon2.Argon2Memory second = Argon2.Argon2Memory.take(8);
        assertThat(second).isNotSameAs(first);
        first.giveBack();
        assertThat(Argon2.Argon2Memory.take(8)).isSameAs(first);
        Argon2.Argon2Memory third = Argon2.Argon2Memory.take(8);
        assertThat(third).isNotSameAs(first).isNotSameAs(second);
    }

    @Test
    void blocks_go_round_and_no_more_than_wanted_are_kept() {
        Argon2.Argon2Memory memory = new Argon2.Argon2Memory(1);
        Block one = memory.allocate();
        Block two = memory.allocate();
        assertThat(two).isNotSameAs(one);
        memory.deallocate(one);
        memory.deallocate(two);
        assertThat(memory.allocate()).isSameAs(one);
        assertThat(memory.allocate()).isNotSameAs(two);
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
