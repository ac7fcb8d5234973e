package org.chainwalletd.boot;

import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.FileSystemException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.KeyringException;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.FileFailures;

/** The daemon cannot start. The message is one line for the operator and says what to do. */
public final class StartupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartupException(String message) {
        super(message, null, false, false);
    }

    /** Turns whatever kept the daemon from starting into one line for the operator. */
    static StartupException explain(Throwable failure, Settings settings) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof StartupException known) {
            return known;
        }
        if (cause instanceof KeyringException keyring && keyring.reason() == KeyringException.Reason.LOCKED) {
            return new StartupException("-32012 keystore locked: " + keyring.getMessage());
        }
        if (isBind(cause)) {
            InetSocketAddress bind = settings.http().listening().bind();
            return EarlyRefusals.inUse(bind, "--bind", "it is in use or not an address of this machine");
        }
        if (file(cause) instanceof FileSystemException file && file.getFile() != null) {
            return new StartupException("cannot use " + file.getFile() + " (" + FileFailures.reason(file)
                    + "): correct the path, its owner or its mode, or name another folder with --datadir");
        }
        String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new StartupException(text);
    }

    /** What the file system said, when that is what is at the bottom of it. */
    private static Throwable file(Throwable failure) {
        return failure instanceof UncheckedIOException unchecked ? unchecked.getCause() : failure;
    }

    private static boolean isBind(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException
                    || cause.getClass().getSimpleName().startsWith("BindFailed")) {
                return true;
            }
        }
        return false;
    }
}
