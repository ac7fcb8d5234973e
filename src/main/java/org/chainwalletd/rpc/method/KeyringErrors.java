package org.chainwalletd.rpc.method;

import java.nio.file.Path;
import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.keyring.EvmKeyException;
import org.chainwalletd.keyring.EvmKeyRefusal;
import org.chainwalletd.keyring.KeyringException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.RpcException;

/**
 * The keyring's refusals as errors of the catalogue (interface.md, section 7.3). Files are named as they lie in the wallet directory: where that
 * is on this machine is no business of a caller.
 */
public final class KeyringErrors implements ErrorTranslator {
    private final String folder;

    /** @param wallets the wallet directory, as the keyring names its files */
    public KeyringErrors(Path wallets) {
        this.folder = wallets.toString();
    }

    @Override
    public Optional<RpcException> translate(Throwable failure) {
        if (failure instanceof EvmKeyException refused) {
            return Optional.of(translated(refused.refusal()));
        }
        return failure instanceof KeyringException refusal ? Optional.of(translated(refusal)) : Optional.empty();
    }

    private String withoutPaths(String message) {
        return message.replace(folder + "/", "").replace(folder, "the wallet directory");
    }

    private static RpcException translated(EvmKeyRefusal refusal) {
        if (refusal instanceof EvmKeyRefusal.NoKey) {
            return new RpcException(ErrorCode.NO_EVM_KEY, refusal.message());
        }
        if (refusal instanceof EvmKeyRefusal.Present) {
            return new RpcException(ErrorCode.WALLET_EXISTS, refusal.message());
        }
        return RpcException.invalidParams(refusal.message());
    }

    private RpcException translated(KeyringException refusal) {
        String message = withoutPaths(refusal.getMessage());
        return switch (refusal.reason()) {
            case UNKNOWN_ADDRESS -> new RpcException(ErrorCode.WALLET_NOT_FOUND, message);
            case ALREADY_PRESENT -> new RpcException(ErrorCode.WALLET_EXISTS, message);
            case LOCKED -> new RpcException(ErrorCode.KEYSTORE_LOCKED, message);
            case INVALID -> RpcException.invalidParams(message);
            case TOO_MANY_ATTEMPTS -> RpcException.tooManyRequests(message, refusal.retryAfterSeconds());
            case STORAGE, ABANDONED -> new RpcException(ErrorCode.INTERNAL_ERROR, message);
        };
    }
}
