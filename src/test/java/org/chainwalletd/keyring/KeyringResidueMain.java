package org.chainwalletd.keyring;

import static org.chainwalletd.keyring.KeyringFixture.await;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.SecretText;

/**
 * Process that {@link KeyringResidueTest} examines: receives a secret and a passphrase (32 bytes each, masked, on standard input), uses them in
 * every way that a keyring does, forgets them, and writes a heap dump. Its output is the log.
 */
final class KeyringResidueMain {
    static final byte MASK = 0x5a;

    private KeyringResidueMain() {}

    /** Arguments: wallet folder, heap dump. */
    public static void main(String[] args) throws Exception {
        byte[] secret = new byte[32];
        byte[] passphrase = new byte[32];
        byte[] kept = new byte[32];
        try (FileInputStream in = new FileInputStream(FileDescriptor.in)) {
            for (byte[] input : new byte[][] {secret, passphrase, kept}) {
                for (int i = 0; i < input.length; i++) {
                    input[i] = (byte) (in.read() ^ MASK);
                }
            }
        }
        SecretBytes control = SecretBytes.takeOver(kept);
        KeyringFixture fixture = new KeyringFixture(Path.of(args[0]));
        Keyring keyring = await(fixture.tryOpen(SecretBytes.copyOf(passphrase)));
        SecretBytes hex;
        try (SecretBytes raw = SecretBytes.copyOf(secret)) {
            hex = SecretText.hex(raw);
        }
        Address address =
                await(keyring.importSecret(hex, Optional.of("residue"))).address();
        use(keyring, address, passphrase);
        await(keyring.close());
        Keyring again = await(fixture.tryOpen(SecretBytes.copyOf(passphrase)));
        await(again.sign(address, new byte[64]));
        await(again.close());
        Arrays.fill(secret, (byte) 0);
        Arrays.fill(passphrase, (byte) 0);
        fixture.close();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(args[1], false);
        System.out.println("kept " + control.length());
    }

    private static void use(Keyring keyring, Address address, byte[] passphrase) {
        await(keyring.sign(address, new byte[64]));
        await(keyring.revealSecret(address, SecretBytes.copyOf(passphrase))).close();
        await(keyring.revealPhrase(address, SecretBytes.copyOf(passphrase))).close();
        Bytes vault = await(keyring.exportVault(SecretBytes.copyOf(passphrase))).vault();
        await(keyring.importVault(vault, SecretBytes.copyOf(passphrase)));
        KeyringException refusal =
                KeyringFixture.refusal(keyring.revealSecret(address, KeyringFixture.secret("not the passphrase")));
        refusal.printStackTrace(System.out);
        byte[] words = "abandon ".repeat(24).getBytes(StandardCharsets.US_ASCII);
        KeyringFixture.refusal(keyring.importStandard(SecretBytes.takeOver(words), Optional.empty()))
                .printStackTrace(System.out);
    }
}
