package org.chainwalletd.http;

import java.nio.file.Path;
import org.chainwalletd.http.door.HttpLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests with a server for each test, which is closed afterwards with all its clients. */
public abstract class WithServer {
    @TempDir
    protected Path datadir;

    protected ServerFixture fixture;

    protected final void start(HttpLimits limits) throws Exception {
        fixture = new ServerFixture(datadir, limits);
    }

    /** Starts the server; returns a client of it. */
    protected final RawClient startAndConnect(HttpLimits limits) throws Exception {
        start(limits);
        return fixture.client();
    }

    @AfterEach
    final void closeServer() {
        if (fixture != null) {
            fixture.close();
        }
    }
}
