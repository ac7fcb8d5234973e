package org.chainwalletd.anvil;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.chainwalletd.devnet.pool.Anvil;

/** The anvil that the build installed under {@code anvil.home}. */
final class RealAnvil {
    private RealAnvil() {}

    static Anvil start(Duration blockTime) throws IOException {
        Path home = Path.of(System.getProperty("anvil.home"));
        Path program = Anvil.find(Optional.of(home), "")
                .orElseThrow(() -> new IOException("no anvil below " + home + ": run it with mvn -Panvil verify"));
        return Anvil.start(program, blockTime);
    }
}
