package org.chainwalletd.boot;

import java.io.IOException;
import java.util.function.Consumer;
import org.chainwalletd.access.TokenFile;
import org.chainwalletd.access.TokenRows;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.Tokens;

/**
 * Places where a daemon's tokens are kept.
 *
 * @param named tokens that the operator has named
 * @param classic one token for each scope
 */
record TokenPlaces(TokenRows named, Tokens.Source classic) {
    /**
     * Files of the datadir; those of classic tokens are made when they are missing.
     *
     * @param console is told new tokens
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
