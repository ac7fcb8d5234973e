package org.chainwalletd.rpc.method;

import java.nio.file.Path;
import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.rpc.ErrorTranslator;

/**
 * Translator of the keyring's refusals into errors of the catalogue (interface.md, section 7.3). File names are relative to the wallet
 * directory, because callers must not learn its location on this machine.
 */
public final class KeyringErrors implements ErrorTranslator {
    private static final long AWAY_RETRY_SECONDS = 1;

    private final String folder;

    /** @param wallets wallet directory, as in the keyring's messages */
    public KeyringErrors(Path wallets) {
        this.folder = wallets.toString();
    }

    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        return failure instanceof KeyringException refusal ? Optional.of(translated(refusal)) : Optional.empty();
    }

    private String withoutPaths(String message) {
        return message.replace(folder + "/", "").replace(folder, "the wallet directory");
    }

    private RefusedException translated(KeyringException refusal) {
        String message = withoutPaths(refusal.getMessage());
        return switch (refusal.reason()) {
            case UNKNOWN_ADDRESS -> new RefusedException(ErrorCode.WALLET_NOT_FOUND, message);
            case ALREADY_PRESENT -> new RefusedException(ErrorCode.WALLET_EXISTS, message);
            case LOCKED -> new RefusedException(ErrorCode.KEYSTORE_LOCKED, message);
            case INVALID -> RefusedException.invalidParams(message);
            case TOO_MANY_ATTEMPTS -> RefusedException.tooManyRequests(message, refusal.retryAfterSeconds());
            case AWAY, CONFLICT -> RefusedException.tooManyRequests(message, AWAY_RETRY_SECONDS);
            case STORAGE, ABANDONED -> new RefusedException(ErrorCode.INTERNAL_ERROR, message);
        };
    }
}
