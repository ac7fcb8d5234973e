package org.chainwalletd.crypto;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Process examined by {@link ResidueTest}: reads an entropy and a passphrase of 32 bytes each, masked, uses them in every way that this package
 * offers, closes them, and writes a heap dump, garbage included, to the file named by its argument.
 */
final class ResidueMain {
    static final int LENGTH = 32;
    static final byte MASK = 0x5a;
    static final byte[] TAG = {'T', 'A', 'G'};
    static final byte[] ROLE = {'R', 'O', 'L', 'E'};
    static final int COIN_TYPE = 9527;
    static final Argon2 COST = new Argon2(64, 1, 1);

    private ResidueMain() {}

    public static void main(String[] arguments) throws Exception {
        byte[] entropy = new byte[LENGTH];
        byte[] passphrase = new byte[LENGTH];
        byte[] kept = new byte[LENGTH];
        try (FileInputStream in = new FileInputStream(FileDescriptor.in)) {
            read(in, entropy);
            read(in, passphrase);
            read(in, kept);
        }
        try (SecretBytes control = SecretBytes.takeOver(kept)) {
            use(entropy, passphrase);
            Arrays.fill(entropy, (byte) 0);
            Arrays.fill(passphrase, (byte) 0);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], false);
            System.out.println(collections() + " collections, kept " + control.length() + " bytes");
        }
    }

    private static void use(byte[] entropy, byte[] passphrase) {
        try (Mnemonic made = Mnemonic.ofEntropy(entropy);
                SecretBytes words = made.phrase();
                Mnemonic phrase = words.use(Mnemonic::parse);
                SecretBytes hierarchical = KeyDerivation.hierarchical(phrase, COIN_TYPE, 0);
                SecretBytes independent = KeyDerivation.independent(phrase);
                SecretBytes standard = KeyDerivation.standard(TAG, phrase)) {
            for (SecretBytes secret : new SecretBytes[] {hierarchical, independent, standard}) {
                SealedBlob blob =
                        secret.use(bytes -> SealedBlob.seal(COST, passphrase, new FixedRandom(), ROLE, bytes));
                try (SigningKey key = SigningKey.takeOver(blob.open(COST, passphrase, ROLE))) {
                    key.sign(new byte[200]);
                }
            }
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private static void read(FileInputStream in, byte[] target) throws Exception {
        for (int i = 0; i < target.length; i++) {
            target[i] = (byte) (in.read() ^ MASK);
        }
    }

    /** Salt and nonce of zeros, so that the test knows the derived key. */
    static final class FixedRandom extends SecureRandom {
        private static final long serialVersionUID = 1L;

        @Override
        public void nextBytes(byte[] bytes) {
            Arrays.fill(bytes, (byte) 0);
        }
    }
}
