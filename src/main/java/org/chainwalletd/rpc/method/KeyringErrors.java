package org.chainwalletd.rpc.method;

import java.nio.file.Path;
import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.rpc.ErrorTranslator;

/**
 * The keyring's refusals as errors of the catalogue (interface.md, section 7.3). Files are named as they lie in the wallet directory: where that
 * is on this machine is no business of a caller.
 */
public final class KeyringErrors implements ErrorTranslator {
    private static final long AWAY_RETRY_SECONDS = 1;

    private final String folder;

    /** @param wallets the wallet directory, as the keyring names its files */
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
