package org.chainwalletd.http.door;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.api.Scope;
import org.chainwalletd.stage.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the token files anew: at SIGHUP, when asked, and when a look shows that they are others than before, for a process that hears no
 * SIGHUP (nohup). Files that cannot be served with change nothing: the tokens before stay in force,
 * so a slip of the operator locks nobody out and opens nothing.
 */
public final class TokenRotation {
    private static final Logger LOG = LoggerFactory.getLogger(TokenRotation.class);

    private final Path datadir;
    private final Map<String, String> configured;
    private final Set<String> accepted;
    private final Authenticator authenticator;
    /** State of the files when they were last read. */
    private List<Object> read;
    /** State of the files at the last look. */
    private List<Object> seen;

    /** Rotates the tokens of all three scopes. */
    public TokenRotation(Path datadir, Map<String, String> configured, Authenticator authenticator) {
        this(datadir, configured, Tokens.EVERY_SCOPE, authenticator);
    }

    /**
     * @param configured tokens from flag or environment by scope word, as for {@link Tokens#open}
     * @param accepted words of the scopes that have such a token
     */
    public TokenRotation(
            Path datadir, Map<String, String> configured, Set<String> accepted, Authenticator authenticator) {
        this.accepted = Set.copyOf(accepted);
        this.datadir = datadir;
        this.configured = Map.copyOf(configured);
        this.authenticator = authenticator;
        this.read = stamps();
        this.seen = read;
    }

    /** Reloads when the files have changed since they were last read, and not since the last look: one that is being written is left alone. */
    public synchronized void look() {
        authenticator.named().look();
        List<Object> now = stamps();
        if (!now.equals(read) && now.equals(seen)) {
            reload();
        }
        seen = now;
    }

    private List<Object> stamps() {
        List<Object> stamps = new ArrayList<>();
        for (Scope scope : Tokens.scopes(accepted)) {
            if (!configured.containsKey(scope.word())) {
                stamps.add(stamp(Tokens.file(datadir, scope)));
            }
        }
        return stamps;
    }

    private static Object stamp(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return Arrays.asList(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
        } catch (IOException e) {
            return "none";
        }
    }

    /** Returns whether the files were taken. */
    public synchronized boolean reload() {
        read = stamps();
        authenticator.named().look();
        try {
            authenticator.replace(Tokens.read(datadir, configured, accepted));
            LOG.info("Token files read again");
            return true;
        } catch (IOException | Tokens.TokenException e) {
            LOG.error("Token files not taken, the tokens before stay in force: {}", e.getMessage());
            return false;
        }
    }

    /** Reloads at every SIGHUP from now on. Does nothing on a platform without that signal. */
    public void onHangUp() {
        if (!Signals.hear("HUP", this::reload)) {
            LOG.warn("This platform has no SIGHUP: replaced token files are taken at the next start");
        }
    }
}
