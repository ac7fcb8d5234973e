package org.chainwalletd.crypto;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What one core does per second: Ed25519 on a message of 230 bytes, the size of an ordinary payment, and the stretching of phrases and
 * passphrases. {@code signDerivingTheKey} is the price of forgetting the public key.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(value = 1, jvmArgsAppend = "-XX:+UseSerialGC")
public class CryptoBench {
    private final byte[] seed = new byte[32];
    private final byte[] message = new byte[230];
    private final byte[] salt = new byte[SealedBlob.SALT_LENGTH];
    private final byte[] passphrase = new byte[28];
    private byte[] publicKey;
    private byte[] signature;
    private SigningKey key;
    private Mnemonic phrase;

    /** The keys and the signature that the measured methods use. */
    @Setup
    public void prepare() {
        publicKey = Ed25519.publicKey(seed);
        signature = Ed25519.sign(seed, publicKey, message);
        key = SigningKey.takeOver(SecretBytes.copyOf(seed));
        phrase = Mnemonic.ofEntropy(seed);
    }

    @Benchmark
    public byte[] sign() {
        return key.sign(message);
    }

    @Benchmark
    public byte[] signDerivingTheKey() {
        return Ed25519.sign(seed, Ed25519.publicKey(seed), message);
    }

    @Benchmark
    public boolean verify() {
        return Ed25519.verify(publicKey, message, signature);
    }

    @Benchmark
    public byte[] publicKey() {
        return Ed25519.publicKey(seed);
    }

    @Benchmark
    public boolean isUsable() {
        return Ed25519.isUsable(publicKey);
    }

    @Benchmark
    public void phraseToSeed() {
        phrase.seed().close();
    }

    @Benchmark
    public void argon2id() {
        Argon2.SPECIFIED.derive(passphrase, salt).close();
    }
}
