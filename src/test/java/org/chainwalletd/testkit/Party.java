package org.chainwalletd.testkit;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;

/** Key with which a test signs, or which it gives to a daemon. */
public final class Party {
    public static final ChainProfile PROFILE = ChainProfile.of("chain");

    private final byte[] seed = new byte[32];
    public final PublicKey key;
    public final Address address;

    /** @param number the seed is 32 times this byte */
    public Party(int number) {
        Arrays.fill(seed, (byte) number);
        key = PublicKey.of(Ed25519.publicKey(seed));
        address = PROFILE.addressOf(key);
    }

    public String secret() {
        return String.format("%02x", seed[0]).repeat(32);
    }

    public byte[] sign(Hash256 genesis, Transaction unsigned) {
        return Ed25519.sign(seed, key.toArray(), TransactionCodec.signingMessage(PROFILE, genesis, unsigned));
    }

    /** Signs a transaction that spends a coin of this party. */
    public Transaction pay(Hash256 genesis, Outpoint coin, TxOutput... outputs) {
        return pay(genesis, List.of(coin), outputs);
    }

    /** Signs a transaction that spends coins of this party. */
    public Transaction pay(Hash256 genesis, List<Outpoint> coins, TxOutput... outputs) {
        Transaction unsigned = Transaction.unsigned(coins, List.of(outputs));
        Witness witness = Witness.plain(key, sign(genesis, unsigned));
        return unsigned.withWitnesses(Collections.nCopies(coins.size(), witness));
    }
}
