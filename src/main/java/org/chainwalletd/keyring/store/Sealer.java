package org.chainwalletd.keyring.store;

import java.security.SecureRandom;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DomainTag;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;

/**
 * Cryptographic operations of one chain's keyring: seal, open, derive. Blocking and stateless; each seal and each open is one Argon2id
 * computation and must run on the argon2 executor.
 */
public final class Sealer {
    private final ChainProfile profile;
    private final Argon2 cost;
    private final SecureRandom random;

    public Sealer(ChainProfile profile, Argon2 cost, SecureRandom random) {
        this.profile = profile;
        this.cost = cost;
        this.random = random;
    }

    public SealedBlob seal(Role role, SecretBytes passphrase, SecretBytes content) {
        return content.use(
                plain -> passphrase.use(phrase -> SealedBlob.seal(cost, phrase, random, role.bytes(profile), plain)));
    }

    /** @throws org.chainwalletd.crypto.SealedBlob.UnsealException when the passphrase or the role is wrong, or the blob is damaged */
    public SecretBytes open(Role role, SecretBytes passphrase, SealedBlob blob) {
        return passphrase.use(phrase -> blob.open(cost, phrase, role.bytes(profile)));
    }

    public Mnemonic newPhrase() {
        return Mnemonic.random(Mnemonic.KEY_WORDS, random);
    }

    /** Returns the words of {@code entropy} separated by single spaces; closes {@code entropy}. */
    public static SecretBytes words(SecretBytes entropy) {
        try (entropy;
                Mnemonic phrase = entropy.use(Mnemonic::ofEntropy)) {
            return phrase.phrase();
        }
    }

    public SecretBytes newSecret() {
        return SecretBytes.random(Ed25519.SEED_LENGTH, random);
    }

    public SecretBytes standardSecret(Mnemonic phrase) {
        return KeyDerivation.standard(profile.tag(DomainTag.MNEMONIC), phrase);
    }

    /** @param index 0 … 2^31-1 */
    public SecretBytes derivedSecret(SecretBytes seedEntropy, long index) {
        try (Mnemonic phrase = seedEntropy.use(Mnemonic::ofEntropy)) {
            return KeyDerivation.hierarchical(phrase, ChainProfile.COIN_TYPE, Math.toIntExact(index));
        }
    }

    public PublicKey publicKey(SecretBytes secret) {
        return PublicKey.of(secret.use(Ed25519::publicKey));
    }

    public Address addressOf(PublicKey key) {
        return profile.addressOf(key);
    }

    /**
     * Purpose of a sealed blob; authenticated as additional data, so that a blob cannot be used for another purpose (interface.md, section
     * 1.6; swap.md, section 5).
     */
    public enum Role {
        SEED("seed"),
        IMPORTED("imported"),
        MNEMONIC("mnemonic"),
        VAULT("vault"),
        EVM_KEY("evm-key"),
        EVM_MNEMONIC("evm-mnemonic"),
        /** Verifies the passphrase of a keyring that has no key yet; specific to this daemon. */
        CHECK("check"),
        /** Rows of the swap journal (swap.md, section 6). */
        SWAP_JOURNAL("swap-journal"),
        /** Call data and signed bytes in the journal of the account chain; those of a claim contain the swap's secret. */
        ACCOUNT_SENDS("account-sends"),
        /** TLS certificate and key shared by the daemons of a database. */
        TLS_IDENTITY("tls-identity");

        private final String word;

        Role(String word) {
            this.word = word;
        }

        public byte[] bytes(ChainProfile profile) {
            return profile.sealedRole(word);
        }
    }
}
