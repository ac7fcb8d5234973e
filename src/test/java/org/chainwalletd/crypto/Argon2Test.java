package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.junit.jupiter.api.Test;

class Argon2Test {
    @Test
    void agreesWithTheArgon2idVectorOfRfc9106Section53() {
        byte[] tag = new byte[32];
        new Argon2(32, 3, 4).hash(filled(32, 1), filled(16, 2), filled(8, 3), filled(12, 4), tag);

        assertThat(HexFormat.of().formatHex(tag))
                .isEqualTo("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
    }

    @Test
    void agreesWithTheReferenceImplementationWithoutSecretAndData() {
        byte[] salt = "somesalt".getBytes(StandardCharsets.US_ASCII);
        byte[] passphrase = "password".getBytes(StandardCharsets.US_ASCII);
        try (SecretBytes key = new Argon2(65_536, 2, 1).derive(passphrase, salt)) {
            assertThat(key.<String, RuntimeException>use(HexFormat.of()::formatHex))
                    .isEqualTo("09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7");
        }
        assertThat(passphrase).asString(StandardCharsets.US_ASCII).isEqualTo("password");
    }

    @Test
    void agreesWithAnotherImplementationForAnyCostAndLengths() {
        long seed = new SecureRandom().nextLong();
        System.out.println("Argon2Test: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            int lanes = 1 + random.nextInt(5);
            int memory = 8 * lanes + random.nextInt(i % 20 == 0 ? 3000 : 100);
            Argon2 cost = new Argon2(memory, 1 + random.nextInt(4), lanes);
            byte[] passphrase = bytes(random, random.nextInt(200));
            byte[] salt = bytes(random, 8 + random.nextInt(100));
            byte[] secret = bytes(random, random.nextInt(2) * random.nextInt(80));
            byte[] data = bytes(random, random.nextInt(2) * random.nextInt(80));
            byte[] tag = new byte[4 + random.nextInt(i % 2 == 0 ? 60 : 400)];
            byte[] expected = new byte[tag.length];
            cost.hash(passphrase, salt, secret, data, tag);
            bouncyCastle(cost, passphrase, salt, secret, data, expected);
            assertThat(tag)
                    .as("%s, tag of %d bytes, seed %d", cost, tag.length, seed)
                    .isEqualTo(expected);
        }
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void bouncyCastle(
            Argon2 cost, byte[] passphrase, byte[] salt, byte[] secret, byte[] data, byte[] tag) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(cost.memoryKib())
                .withIterations(cost.iterations())
                .withParallelism(cost.parallelism())
                .withSalt(salt)
                .withSecret(secret)
                .withAdditional(data)
                .build());
        generator.generateBytes(passphrase, tag);
    }

    @Test
    void theSpecifiedCostIs64MibThreePassesOneLane() {
        assertThat(Argon2.SPECIFIED).isEqualTo(new Argon2(65_536, 3, 1));
    }

    @Test
    void aCostThatArgon2DoesNotKnowIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(7, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(8, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(8, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Argon2(15, 1, 2));
    }

    /** The reference vector again and again, between computations of other inputs and beside another one. */
    @Test
    void memoryThatWasUsedBeforeChangesNoResult() {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 2; i++) {
                Future<?> beside = other.submit(() ->
                        Argon2.SPECIFIED.derive(new byte[3], filled(16, 7)).close());
                agreesWithTheReferenceImplementationWithoutSecretAndData();
                beside.get();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void memoryIsKeptForTheNextComputationButNeverForTwo() {
        Argon2Memory.take(8).giveBack();
        Argon2Memory first = Argon2Memory.take(8);
        Argon2Memory second = Argon2Memory.take(8);
        assertThat(second).isNotSameAs(first);
        first.giveBack();
        assertThat(Argon2Memory.take(8)).isSameAs(first);
        Argon2Memory third = Argon2Memory.take(8);
        assertThat(third).isNotSameAs(first).isNotSameAs(second);
    }

    @Test
    void blocksAreMadeOnceAndOverwritten() {
        Argon2Memory memory = new Argon2Memory(2);
        long[] block = memory.block(1);
        block[7] = 5;
        assertThat(memory.block(1)).isSameAs(block);
        assertThat(memory.block(0)).isNotSameAs(block);
        memory.wipe();
        assertThat(block).containsOnly(0);
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
