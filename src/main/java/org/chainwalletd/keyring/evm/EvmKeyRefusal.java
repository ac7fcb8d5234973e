package org.chainwalletd.keyring.evm;

import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.evm.EvmAddress;

/** Refusals of operations on the account-chain key. */
public final class EvmKeyRefusal {
    private EvmKeyRefusal() {}

    public static Refusal noKey() {
        return new Refusal(
                ErrorCode.NO_EVM_KEY, "there is no account-chain key; make one with evm_create_address, or import one");
    }

    /** A key exists already, and the request does not allow replacing it. */
    public static Refusal present(EvmAddress address, String way) {
        return new Refusal(
                ErrorCode.WALLET_EXISTS,
                "there is an account-chain key already: " + address + " (" + way + ": true replaces it)");
    }

    public static Refusal notKept(EvmAddress address) {
        return new Refusal(ErrorCode.INVALID_PARAMS, "no account-chain key of " + address + " is kept");
    }

    /**
     * The key is still needed.
     *
     * @param way how to override the refusal, for the message; empty when that is impossible
     */
    public static Refusal needed(EvmAddress address, List<EvmKeyGuard.Objection> objections, String way) {
        String reasons = String.join(
                "; ", objections.stream().map(EvmKeyGuard.Objection::reason).toList());
        return new Refusal(
                ErrorCode.INVALID_PARAMS,
                "the account-chain key of " + address + " stays: " + reasons + (way.isEmpty() ? "" : " (" + way + ")"));
    }
}
