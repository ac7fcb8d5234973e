package org.chainwalletd.keyring.evm;

import java.util.List;
import org.chainwalletd.evm.EvmAddress;

/** Why something is not done with the account-chain key. Each kind maps to one error of the interface. */
public sealed interface EvmKeyRefusal {
    /** In words for the caller; never a secret. */
    String message();

    /** There is none: -32013. */
    record NoKey() implements EvmKeyRefusal {
        @Override
        public String message() {
            return "there is no account-chain key; make one with evm_create_address, or import one";
        }
    }

    /** There is one already, and nobody asked to replace it: -32011. */
    record Present(EvmAddress address, String way) implements EvmKeyRefusal {
        @Override
        public String message() {
            return "there is an account-chain key already: " + address + " (" + way + ": true replaces it)";
        }
    }

    /** No key of this address is kept: -32602. */
    record NotKept(EvmAddress address) implements EvmKeyRefusal {
        @Override
        public String message() {
            return "no account-chain key of " + address + " is kept";
        }
    }

    /**
     * Somebody still needs the key: -32602.
     *
     * @param way past it, in words; empty when there is none
     */
    record Needed(EvmAddress address, List<EvmKeyGuard.Objection> objections, String way) implements EvmKeyRefusal {
        @Override
        public String message() {
            String reasons = String.join(
                    "; ", objections.stream().map(EvmKeyGuard.Objection::reason).toList());
            return "the account-chain key of " + address + " stays: " + reasons
                    + (way.isEmpty() ? "" : " (" + way + ")");
        }
    }

    /** The value handed over is no such key, or there is no such thing: -32602. */
    record Invalid(String message) implements EvmKeyRefusal {}

    /** The keyring refuses something about the account-chain key. */
    final class EvmKeyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient EvmKeyRefusal refusal;

        public EvmKeyException(EvmKeyRefusal refusal) {
            super(refusal.message(), null, false, false);
            this.refusal = refusal;
        }

        public EvmKeyRefusal refusal() {
            return refusal;
        }
    }
}
