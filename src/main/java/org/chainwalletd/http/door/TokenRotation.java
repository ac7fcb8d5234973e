package org.chainwalletd.http.door;

import java.io.IOException;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.stage.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads the tokens: at SIGHUP, on request, and when a periodic check finds them changed, for a process that ignores SIGHUP (nohup). When the
 * new tokens must not be used, the previous ones stay in force, so a mistake of the operator neither locks callers out nor grants access.
 */
public final class TokenRotation {
    private static final Logger LOG = LoggerFactory.getLogger(TokenRotation.class);

    private final Tokens.Source source;
    private final Authenticator authenticator;
    /** State of the source when it was last read. */
    private Object read;
    /** State of the source at the last check. */
    private Object seen;

    /** Reads the tokens. */
    public TokenRotation(Tokens.Source source, NamedTokens named) throws IOException {
        this.source = source;
        // Before the first reading: tokens that are replaced meanwhile are found changed by the next checks.
        this.read = source.stamp();
        this.seen = read;
        this.authenticator = new Authenticator(source.read(), named);
    }

    /** Returns what accepts the tokens in force. */
    public Authenticator authenticator() {
        return authenticator;
    }

    /** Reloads when the files have changed since they were last read but not since the last check: a file that is being written is not read. */
    public synchronized void look() {
        authenticator.named().look();
        Object now = source.stamp();
        if (!now.equals(read) && now.equals(seen)) {
            reload();
        }
        seen = now;
    }

    /** Returns whether the new tokens are in force. */
    public synchronized boolean reload() {
        read = source.stamp();
        authenticator.named().look();
        try {
            authenticator.replace(source.read());
            LOG.info("Tokens read again");
            return true;
        } catch (IOException | Tokens.TokenException e) {
            LOG.error("The new tokens cannot be used, the previous ones stay in force: {}", e.getMessage());
            return false;
        }
    }

    /** Reloads at every SIGHUP from now on. Does nothing on a platform without that signal. */
    public void onHangUp() {
        if (!Signals.install("HUP", this::reload)) {
            LOG.warn("This platform has no SIGHUP: replaced token files are read at the next start");
        }
    }
}
