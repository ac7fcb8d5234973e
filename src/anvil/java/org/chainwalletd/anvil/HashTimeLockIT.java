package org.chainwalletd.anvil;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.chainwalletd.devnet.pool.Anvil;
import org.chainwalletd.testkit.evm.HashTimeLockContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The compiled contract keeps what the native rules of the tests' own chain promise. Each test deploys a contract of its own. */
@Tag("long")
class HashTimeLockIT extends HashTimeLockContract {
    private static Anvil anvil;

    @BeforeAll
    static void start() throws IOException {
        anvil = RealAnvil.start(Duration.ZERO);
    }

    @AfterAll
    static void stop() {
        if (anvil != null) {
            anvil.close();
        }
    }

    @Override
    protected URI chain() {
        return anvil.uri();
    }
}
