package org.chainwalletd.keyring.evm;

/** The keyring refuses something about the account-chain key. */
public final class EvmKeyException extends RuntimeException {
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
