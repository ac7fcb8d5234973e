package org.chainwalletd.keyring.evm;

import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.evm.EvmAddress;

/** Reasons why something is not done with the account-chain key. */
public final class EvmKeyRefusal {
    private EvmKeyRefusal() {}

    public static Refusal noKey() {
        return new Refusal(
                ErrorCode.NO_EVM_KEY, "there is no account-chain key; make one with evm_create_address, or import one");
    }

    /** There is one already, and nobody asked to replace it. */
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
     * @param way past it, in words; empty when there is none
     */
    public static Refusal needed(EvmAddress address, List<EvmKeyGuard.Objection> objections, String way) {
        String reasons = String.join(
                "; ", objections.stream().map(EvmKeyGuard.Objection::reason).toList());
        return new Refusal(
                ErrorCode.INVALID_PARAMS,
                "the account-chain key of " + address + " stays: " + reasons + (way.isEmpty() ? "" : " (" + way + ")"));
    }
}
