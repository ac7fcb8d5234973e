package org.chainwalletd.spend;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.testkit.PlainKeys;

/** Keyring of numbered keys that are not sealed. */
final class TestKeys extends PlainKeys {
    private final ChainProfile profile;
    /** Addresses whose keys exist but cannot be opened. */
    final Set<Address> locked = ConcurrentHashMap.newKeySet();

    TestKeys(ChainProfile profile) {
        super(profile);
        this.profile = profile;
    }

    Address add(int number) {
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) number);
        return add(seed);
    }

    /** Builds a payment by another party with the same key. */
    Transaction spend(Address from, Hash256 genesis, Outpoint coin, TxOutput output) {
        Transaction unsigned = Transaction.unsigned(List.of(coin), List.of(output));
        Signature signature = signature(from, TransactionCodec.signingMessage(profile, genesis, unsigned));
        return unsigned.withWitnesses(List.of(Witness.plain(signature.publicKey(), signature.bytes())));
    }

    @Override
    public Optional<Signature> signAtHand(Address address, byte[] message) {
        return isAtHand(address) ? Optional.of(signature(address, message)) : Optional.empty();
    }

    @Override
    public boolean isAtHand(Address address) {
        return has(address) && !locked.contains(address);
    }

    @Override
    public CompletionStage<Signature> sign(Address address, byte[] message) {
        return locked.contains(address)
                ? CompletableFuture.failedFuture(new KeyringException(
                        KeyringException.Reason.LOCKED, "the key of " + address + " does not open"))
                : super.sign(address, message);
    }
}
