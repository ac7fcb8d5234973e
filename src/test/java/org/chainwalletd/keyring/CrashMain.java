package org.chainwalletd.keyring;

import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.eventually;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;

/**
 * The process that is killed: does every kind of change once, or mints until the end, and says on standard output what was acknowledged, one
 * line each, as {@code + address label} and {@code - address}. A line {@code ? address} announces a change before it is begun.
 */
final class CrashMain {
    /** Of every key that is drawn here. */
    static final long BIRTH = 4_900;

    private static final int FROM_POOL = 3;

    private CrashMain() {}

    /** Arguments: wallet folder, {@code all}, {@code mint} or {@code pool}, vault as a hex file. */
    public static void main(String[] args) throws Exception {
        KeyringFixture fixture = new KeyringFixture(Path.of(args[0]));
        Keyring keyring = fixture.open();
        keyring.bornBy(() -> OptionalLong.of(BIRTH + 100));
        if (args[1].equals("mint")) {
            for (int i = 0; ; i++) {
                added(await(keyring.generateStandard(Optional.of("label " + i))));
            }
        }
        if (args[1].equals("pool")) {
            keyring.keepPool(FROM_POOL, Runnable::run);
            eventually(() ->
                    fixture.metrics.get("walletd.keyring.pool.keys").gauge().value() == FROM_POOL);
            for (int i = 0; i < FROM_POOL; i++) {
                added(await(keyring.generateStandard(Optional.of("pool " + i))));
            }
            await(keyring.close());
            fixture.close();
            return;
        }
        Bytes vault = Bytes.parse(Files.readString(Path.of(args[2])));
        KeyEntry standard = await(keyring.generateStandard(Optional.of("standard")));
        added(standard);
        added(await(keyring.generateIndependent(Optional.empty())));
        List<KeyEntry> together =
                List.of(keyring.generateStandard(Optional.of("x")), keyring.generateStandard(Optional.of("y"))).stream()
                        .map(KeyringFixture::await)
                        .toList();
        together.forEach(CrashMain::added);
        added(await(keyring.importSecret(secret("0f".repeat(32)), Optional.of("imported"))));
        say("? " + standard.address());
        Address deleted = await(keyring.delete(standard.address(), secret(PASSPHRASE), Optional.empty()));
        say("- " + deleted);
        await(keyring.importVault(vault, secret("vault"))).forEach(address -> say("+ " + address + " vault"));
        await(keyring.close());
        fixture.close();
    }

    private static void added(KeyEntry entry) {
        say("+ " + entry.address() + " " + entry.label().orElse(""));
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
