package org.chainwalletd.keyring;

import static org.chainwalletd.keyring.KeyringFixture.FORCED;
import static org.chainwalletd.keyring.KeyringFixture.PASSPHRASE;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.created;
import static org.chainwalletd.keyring.KeyringFixture.delete;
import static org.chainwalletd.keyring.KeyringFixture.eventually;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.restore;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.KeyEntry;

/**
 * Process that is killed or whose files are copied: makes every kind of change once, or mints until the end, and prints what was acknowledged, one
 * line each, as {@code + address label} and {@code - address}. A line {@code ? address} announces a change before it is begun. Lines about
 * account-chain keys begin with {@code evm}.
 */
final class CrashMain {
    /** Birth height of every key that is generated here. */
    static final long BIRTH = 4_900;

    private static final int FROM_POOL = 3;
    private static final String PHRASE = "test test test test test test test test test test test junk";

    private final KeyringFixture fixture;
    private final Keyring keyring;
    private final Consumer<String> say;

    private CrashMain(KeyringFixture fixture, Consumer<String> say) {
        this.fixture = fixture;
        this.say = say;
        this.keyring = fixture.open();
        keyring.bornBy(() -> OptionalLong.of(BIRTH + 100));
    }

    /** Arguments: wallet folder, {@code all}, {@code mint} or {@code pool}, vault as a hex file. */
    public static void main(String[] args) throws Exception {
        try (KeyringFixture fixture = new KeyringFixture(Path.of(args[0]))) {
            run(fixture, args[1], Path.of(args[2]), line -> {
                System.out.println(line);
                System.out.flush();
            });
        }
    }

    /** Runs the work described at {@link #main}. */
    static void run(KeyringFixture fixture, String work, Path vault, Consumer<String> say) throws IOException {
        CrashMain main = new CrashMain(fixture, say);
        switch (work) {
            case "mint" -> main.mint();
            case "pool" -> main.pool();
            default -> main.all(vault);
        }
        await(main.keyring.close());
    }

    private void mint() {
        for (int i = 0; ; i++) {
            added(minted(keyring, "label " + i));
        }
    }

    private void pool() {
        keyring.keepPool(FROM_POOL, Runnable::run);
        eventually(
                () -> fixture.metrics.get("walletd.keyring.pool.keys").gauge().value() == FROM_POOL);
        for (int i = 0; i < FROM_POOL; i++) {
            added(minted(keyring, "pool " + i));
        }
    }

    private void all(Path vaultFile) throws IOException {
        Bytes vault = Bytes.parse(Files.readString(vaultFile));
        KeyEntry standard = minted(keyring, "standard");
        added(standard);
        added(await(keyring.generateIndependent(Optional.empty())));
        List<KeyEntry> together =
                List.of(keyring.generateStandard(Optional.of("x")), keyring.generateStandard(Optional.of("y"))).stream()
                        .map(KeyringFixture::await)
                        .toList();
        together.forEach(this::added);
        added(await(keyring.importSecret(secret("0f".repeat(32)), Optional.of("imported"))));
        say.accept("? " + standard.address());
        Address deleted = delete(keyring, standard.address());
        say.accept("- " + deleted);
        restore(keyring, vault).forEach(address -> say.accept("+ " + address + " vault"));
        evm();
    }

    private void evm() {
        say.accept("evm ? another");
        EvmAddress made = created(keyring.evm(), FORCED);
        say.accept("evm + " + made);
        say.accept("evm ? another");
        EvmAddress second = await(keyring.evm().importPhrase(secret(PHRASE), FORCED));
        say.accept("evm + " + second);
        say.accept("evm ? " + second);
        say.accept("evm - " + await(keyring.evm().delete(secret(PASSPHRASE), Optional.empty())));
    }

    private void added(KeyEntry entry) {
        say.accept("+ " + entry.address() + " " + entry.label().orElse(""));
    }
}
