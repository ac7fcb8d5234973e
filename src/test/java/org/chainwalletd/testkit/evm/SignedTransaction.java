package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.math.ec.ECAlgorithms;
import org.bouncycastle.math.ec.ECPoint;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;

/**
 * Transaction of type 2 as received, with the sender recovered from the signature.
 *
 * @param to empty: creates a contract
 * @param raw the received bytes
 * @param hash Keccak-256 of {@code raw}
 */
public record SignedTransaction(
        BigInteger chainId,
        long nonce,
        BigInteger maxPriorityFee,
        BigInteger maxFee,
        long gas,
        Optional<EvmAddress> to,
        BigInteger value,
        Bytes data,
        int yParity,
        BigInteger r,
        BigInteger s,
        EvmAddress from,
        Bytes raw,
        Hash256 hash) {
    private static final X9ECParameters CURVE = CustomNamedCurves.getByName("secp256k1");
    private static final BigInteger HALF = CURVE.getN().shiftRight(1);
    private static final int FIELDS = 12;
    private static final int REMEMBERED = 1_000;

    /** Cache of recent transactions: each arrives from several endpoints, and again whenever a mempool has dropped it. */
    private static final Map<Bytes, SignedTransaction> DECODED =
            Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Bytes, SignedTransaction> eldest) {
                    return size() > REMEMBERED;
                }
            });

    /**
     * @throws IllegalArgumentException unless it is a well-formed transaction of type 2 with an empty access list and a signature with low s
     */
    static SignedTransaction decode(Bytes raw) {
        SignedTransaction before = DECODED.get(raw);
        if (before != null) {
            return before;
        }
        SignedTransaction now = decoded(raw);
        DECODED.put(raw, now);
        return now;
    }

    private static SignedTransaction decoded(Bytes raw) {
        byte[] bytes = raw.toArray();
        if (bytes.length == 0 || bytes[0] != 2) {
            throw new IllegalArgumentException("only transactions of type 2");
        }
        if (!(RlpItem.decode(bytes, 1) instanceof RlpItem.Items list)
                || list.items().size() != FIELDS) {
            throw new IllegalArgumentException("a transaction has twelve members");
        }
        List<RlpItem> items = list.items();
        if (!(items.get(8) instanceof RlpItem.Items access) || !access.items().isEmpty()) {
            throw new IllegalArgumentException("the access list must be empty");
        }
        byte[] to = text(items, 5);
        BigInteger r = number(items, 10, 256);
        BigInteger s = number(items, 11, 256);
        int parity = number(items, 9, 1).intValue();
        byte[] signingHash = Keccak256.of(typed(items.subList(0, 9)));
        return new SignedTransaction(
                number(items, 0, 64),
                number(items, 1, 63).longValueExact(),
                number(items, 2, 256),
                number(items, 3, 256),
                number(items, 4, 63).longValueExact(),
                to.length == 0 ? Optional.empty() : Optional.of(EvmAddress.of(to)),
                number(items, 6, 256),
                Bytes.of(text(items, 7)),
                parity,
                r,
                s,
                recover(signingHash, parity, r, s),
                raw,
                Hash256.of(Keccak256.of(bytes)));
    }

    /** Signs a transaction of the chain's own accounts; unlike the daemon's transactions it may create a contract. */
    static Bytes sign(
            SecretBytes secret,
            BigInteger chainId,
            long nonce,
            BigInteger tip,
            BigInteger maxFee,
            long gas,
            Optional<EvmAddress> to,
            BigInteger value,
            Bytes data) {
        List<RlpItem> items = new ArrayList<>(List.of(
                RlpItem.number(chainId),
                RlpItem.number(nonce),
                RlpItem.number(tip),
                RlpItem.number(maxFee),
                RlpItem.number(gas),
                RlpItem.text(to.map(EvmAddress::toArray).orElse(new byte[0])),
                RlpItem.number(value),
                RlpItem.text(data.toArray()),
                RlpItem.list()));
        byte[] hash = Keccak256.of(typed(items));
        Secp256k1.Signature signature = secret.use(key -> Secp256k1.sign(key, hash));
        items.add(RlpItem.number(signature.yParity()));
        items.add(RlpItem.number(signature.r()));
        items.add(RlpItem.number(signature.s()));
        return Bytes.wrap(typed(items));
    }

    /** Returns the payment per gas above the base fee; negative if the transaction does not even pay the base fee. */
    BigInteger tip(BigInteger baseFee) {
        return maxPriorityFee.min(maxFee.subtract(baseFee));
    }

    /** Returns the maximum amount that it can take from the sender. */
    BigInteger cost() {
        return value.add(maxFee.multiply(BigInteger.valueOf(gas)));
    }

    private static byte[] typed(List<RlpItem> items) {
        byte[] list = new RlpItem.Items(items).encode();
        byte[] typed = new byte[list.length + 1];
        typed[0] = 2;
        System.arraycopy(list, 0, typed, 1, list.length);
        return typed;
    }

    private static byte[] text(List<RlpItem> items, int index) {
        if (items.get(index) instanceof RlpItem.Text text) {
            return text.bytes();
        }
        throw new IllegalArgumentException("member " + index + " is a list");
    }

    private static BigInteger number(List<RlpItem> items, int index, int bits) {
        byte[] bytes = text(items, index);
        BigInteger number = new BigInteger(1, bytes);
        if (bytes.length > 0 && bytes[0] == 0 || number.bitLength() > bits) {
            throw new IllegalArgumentException("member " + index + " is not a number of at most " + bits + " bits");
        }
        return number;
    }

    /** Returns the signer's address: {@code (s R − e G) / r} (SEC 1, section 4.1.6). */
    private static EvmAddress recover(byte[] hash, int parity, BigInteger r, BigInteger s) {
        BigInteger n = CURVE.getN();
        if (r.signum() == 0 || r.compareTo(n) >= 0 || s.signum() == 0 || s.compareTo(HALF) > 0) {
            throw new IllegalArgumentException("r or s is out of range");
        }
        byte[] x = new byte[33];
        byte[] digits = r.toByteArray();
        int zeros = digits.length == 33 ? 1 : 0;
        System.arraycopy(digits, zeros, x, 33 - digits.length + zeros, digits.length - zeros);
        x[0] = (byte) (2 + parity);
        ECPoint point = CURVE.getCurve().decodePoint(x);
        BigInteger inverse = r.modInverse(n);
        BigInteger e = new BigInteger(1, hash);
        ECPoint key = ECAlgorithms.sumOfTwoMultiplies(
                        CURVE.getG(),
                        e.negate().multiply(inverse).mod(n),
                        point,
                        s.multiply(inverse).mod(n))
                .normalize();
        byte[] encoded = key.getEncoded(false);
        byte[] keyHash = Keccak256.of(Arrays.copyOfRange(encoded, 1, encoded.length));
        return EvmAddress.of(Arrays.copyOfRange(keyHash, 12, 32));
    }
}
