package org.chainwalletd.http.door;

import java.io.IOException;
import org.chainwalletd.stage.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the tokens anew: at SIGHUP, when asked, and when a look shows that they are others than before, for a process that hears no
 * SIGHUP (nohup). Tokens that cannot be served with change nothing: those before stay in force,
 * so a slip of the operator locks nobody out and opens nothing.
 */
public final class TokenRotation {
    private static final Logger LOG = LoggerFactory.getLogger(TokenRotation.class);

    private final Tokens.Source source;
    private final Authenticator authenticator;
    /** State of the source when it was last read. */
    private Object read;
    /** State of the source at the last look. */
    private Object seen;

    public TokenRotation(Tokens.Source source, Authenticator authenticator) {
        this.source = source;
        this.authenticator = authenticator;
        this.read = source.stamp();
        this.seen = read;
    }

    /** Reloads when the files have changed since they were last read, and not since the last look: one that is being written is left alone. */
    public synchronized void look() {
        authenticator.named().look();
        Object now = source.stamp();
        if (!now.equals(read) && now.equals(seen)) {
            reload();
        }
        seen = now;
    }

    /** Returns whether the files were taken. */
    public synchronized boolean reload() {
        read = source.stamp();
        authenticator.named().look();
        try {
            authenticator.replace(source.read());
            LOG.info("Tokens read again");
            return true;
        } catch (IOException | Tokens.TokenException e) {
            LOG.error("Tokens not taken, the tokens before stay in force: {}", e.getMessage());
            return false;
        }
    }

    /** Reloads at every SIGHUP from now on. Does nothing on a platform without that signal. */
    public void onHangUp() {
        if (!Signals.handle("HUP", this::reload)) {
            LOG.warn("This platform has no SIGHUP: replaced token files are taken at the next start");
        }
    }
}
