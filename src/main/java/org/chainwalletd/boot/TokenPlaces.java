package org.chainwalletd.boot;

import java.io.IOException;
import java.util.function.Consumer;
import org.chainwalletd.access.TokenFile;
import org.chainwalletd.access.TokenRows;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.Tokens;

/**
 * Storage of a daemon's tokens.
 *
 * @param named named tokens
 * @param classic one token per scope
 */
record TokenPlaces(TokenRows named, Tokens.Source classic) {
    /**
     * Token files of the datadir; creates missing classic tokens.
     *
     * @param console receives new tokens
     */
    static TokenPlaces inFiles(Settings settings, Consumer<String> console) throws IOException {
        Settings.Http http = settings.http();
        Tokens.open(settings.datadir(), http.tokenFlags(), http.access().classicTokens(), console);
        return new TokenPlaces(
                new TokenFile(settings.datadir()),
                new Tokens.InFiles(
                        settings.datadir(), http.tokenFlags(), http.access().classicTokens()));
    }
}
