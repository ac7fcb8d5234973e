package org.chainwalletd.keyring;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Keyring in the wallet directory. */
class FolderKeyringTest extends KeyringContract {
    @TempDir
    Path datadir;

    @Override
    KeyringFixture place() {
        return new KeyringFixture(datadir.resolve("data/wallets"));
    }
}
