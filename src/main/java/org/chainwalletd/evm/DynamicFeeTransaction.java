package org.chainwalletd.evm;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.util.BigIntegers;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;

/**
 * Unsigned transaction of type 2 (EIP-1559, EIP-2718) with an empty access list. Fees and value are in wei.
 *
 * @param chainId binds the signature to one chain
 * @param nonce number of earlier transactions of the sender
 * @param maxPriorityFeePerGas at most {@code maxFeePerGas}
 * @param data call data; empty for a plain payment
 */
public record DynamicFeeTransaction(
        BigInteger chainId,
        BigInteger nonce,
        BigInteger maxPriorityFeePerGas,
        BigInteger maxFeePerGas,
        BigInteger gasLimit,
        EvmAddress to,
        BigInteger value,
        Bytes data) {
    private static final byte TYPE = 2;

    public DynamicFeeTransaction {
        if (maxPriorityFeePerGas.compareTo(maxFeePerGas) > 0) {
            throw new IllegalArgumentException("the priority fee is above the maximum fee");
        }
    }

    /**
     * Signed transaction, ready to send.
     *
     * @param raw {@code 02 ‖ rlp([…, y_parity, r, s])}
     * @param hash Keccak-256 of {@code raw}
     */
    public record Signed(Bytes raw, Hash256 hash) {}

    /** {@code 02 ‖ rlp([chain_id, nonce, max_priority_fee, max_fee, gas, to, value, data, []])}. */
    public Bytes unsigned() {
        return typed(members());
    }

    /** Keccak-256 of {@link #unsigned()}. */
    public Hash256 signingHash() {
        return Hash256.of(Keccak256.of(unsigned().toArray()));
    }

    /**
     * Signs the transaction; deterministic.
     *
     * @throws IllegalArgumentException unless the secret is a secp256k1 scalar of 32 bytes
     */
    public Signed sign(SecretBytes secret) {
        byte[] hash = signingHash().toArray();
        return signedWith(secret.use(key -> Secp256k1.sign(key, hash)));
    }

    /** Attaches a signature over {@link #signingHash()} that was made elsewhere; it is not verified. */
    public Signed signedWith(Secp256k1.Signature signature) {
        List<byte[]> members = members();
        members.add(Rlp.number(BigInteger.valueOf(signature.yParity())));
        members.add(Rlp.number(signature.r()));
        members.add(Rlp.number(signature.s()));
        Bytes raw = typed(members);
        return new Signed(raw, Hash256.of(Keccak256.of(raw.toArray())));
    }

    private List<byte[]> members() {
        return new ArrayList<>(List.of(
                Rlp.number(chainId),
                Rlp.number(nonce),
                Rlp.number(maxPriorityFeePerGas),
                Rlp.number(maxFeePerGas),
                Rlp.number(gasLimit),
                Rlp.bytes(to.toArray()),
                Rlp.number(value),
                Rlp.bytes(data.toArray()),
                Rlp.list(List.of())));
    }

    private static Bytes typed(List<byte[]> members) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(TYPE);
        out.writeBytes(Rlp.list(members));
        return Bytes.wrap(out.toByteArray());
    }

    /** Encoder of recursive length prefix (RLP), the account chain's encoding of byte strings and nested lists of them. */
    static final class Rlp {
        private static final int SHORT = 55;
        private static final int STRING = 0x80;
        private static final int LIST = 0xc0;

        private Rlp() {}

        /** Encodes a byte string: a single byte below 0x80 as itself, anything else prefixed by its length. */
        static byte[] bytes(byte[] content) {
            if (content.length == 1 && content[0] >= 0) {
                return content.clone();
            }
            return prefixed(STRING, content);
        }

        /**
         * Encodes a number without leading zeros; zero as the empty string.
         *
         * @throws IllegalArgumentException for a negative one
         */
        static byte[] number(BigInteger number) {
            if (number.signum() < 0) {
                throw new IllegalArgumentException("numbers are not negative: " + number);
            }
            return bytes(number.signum() == 0 ? new byte[0] : BigIntegers.asUnsignedByteArray(number));
        }

        /** Encodes a list of already encoded items. */
        static byte[] list(List<byte[]> items) {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            items.forEach(content::writeBytes);
            return prefixed(LIST, content.toByteArray());
        }

        private static byte[] prefixed(int kind, byte[] content) {
            ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 5);
            if (content.length <= SHORT) {
                out.write(kind + content.length);
            } else {
                byte[] length = BigIntegers.asUnsignedByteArray(BigInteger.valueOf(content.length));
                out.write(kind + SHORT + length.length);
                out.writeBytes(length);
            }
            out.writeBytes(content);
            return out.toByteArray();
        }
    }
}
