package org.chainwalletd.store.postgres;

import java.io.IOException;
import java.util.Map;

/** Connection of one daemon to a {@link TestDatabase} that it shares with others. */
public final class DatabaseDoor extends ServerProxy {
    private final TestDatabase database;

    /**
     * @param otherWords parts of statements and their replacements, as read by the server
     */
    public DatabaseDoor(TestDatabase database, Map<String, String> otherWords) {
        super(otherWords);
        this.database = database;
    }

    /** Returns the value of {@code --store}. */
    public String url() {
        return database.url(port());
    }

    @Override
    public void close() throws IOException {
        super.close();
        leave();
    }
}
