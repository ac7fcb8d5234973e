package org.chainwalletd.evm;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.util.BigIntegers;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.crypto.Keccak256;

/**
 * Interface of the hash-time-locked contract on the account chain (chain protocol, appendix E.3): call data, return data and its event. Words of
 * the contract's ABI have 32 bytes, big-endian. Amounts are in wei, deadlines in Unix seconds (u64).
 */
public final class SwapContract {
    /** Topic 0 of the event {@code Locked}. */
    public static final Hash256 LOCKED_TOPIC =
            Hash256.of(Keccak256.of(ascii("Locked(bytes32,address,address,uint256,uint64)")));

    private static final byte[] LOCK = selector("lock(bytes32,address,uint64)");
    private static final byte[] CLAIM = selector("claim(bytes32)");
    private static final byte[] REFUND = selector("refund(bytes32)");
    private static final byte[] GET_SWAP = selector("getSwap(bytes32)");
    private static final int WORD = 32;

    private SwapContract() {}

    /** State of a hash lock in the contract. */
    public enum State {
        NONE,
        LOCKED,
        CLAIMED,
        REFUNDED
    }

    /**
     * Result of {@code getSwap}; all zero for an unknown hash lock.
     *
     * @param deadline block time from which a refund is possible
     */
    public record Swap(EvmAddress sender, EvmAddress recipient, BigInteger amount, long deadline, State state) {}

    /** Event emitted by {@code lock}. */
    public record Locked(Hash256 hashLock, EvmAddress sender, EvmAddress recipient, BigInteger amount, long deadline) {}

    /** Returns the call data of {@code lock}; the amount is the value of the transaction. */
    public static Bytes lock(Hash256 hashLock, EvmAddress recipient, long deadline) {
        return call(LOCK, hashLock.toArray(), word(recipient), word(U64.toBigInteger(deadline)));
    }

    /**
     * Returns the call data of {@code claim}. It contains the secret, so every recipient of the call data learns it.
     *
     * @throws IllegalArgumentException unless the preimage has 32 bytes
     */
    public static Bytes claim(byte[] preimage) {
        if (preimage.length != WORD) {
            throw new IllegalArgumentException("the contract takes a preimage of 32 bytes, not " + preimage.length);
        }
        return call(CLAIM, preimage);
    }

    /** Returns the call data of {@code refund}, which only the lock's sender may call. */
    public static Bytes refund(Hash256 hashLock) {
        return call(REFUND, hashLock.toArray());
    }

    /** Returns the call data of {@code getSwap}. */
    public static Bytes getSwap(Hash256 hashLock) {
        return call(GET_SWAP, hashLock.toArray());
    }

    /**
     * Decodes the return data of {@code getSwap}.
     *
     * @throws IllegalArgumentException unless it is five words of the declared types
     */
    public static Swap swap(Bytes returned) {
        requireLength(returned, 5);
        BigInteger state = number(returned, 4);
        if (state.bitLength() > 2) {
            throw new IllegalArgumentException("the contract has no state " + state);
        }
        return new Swap(
                address(returned, 0),
                address(returned, 1),
                number(returned, 2),
                u64(returned, 3),
                State.values()[state.intValueExact()]);
    }

    /**
     * Decodes an event.
     *
     * @param topics topic 0 first, 32 bytes each
     * @throws IllegalArgumentException unless it is a well-formed {@code Locked}
     */
    public static Locked locked(List<Hash256> topics, Bytes data) {
        if (topics.size() != 4 || !topics.get(0).equals(LOCKED_TOPIC)) {
            throw new IllegalArgumentException("not an event Locked");
        }
        requireLength(data, 2);
        return new Locked(
                topics.get(1),
                address(Bytes.wrap(topics.get(2).toArray()), 0),
                address(Bytes.wrap(topics.get(3).toArray()), 0),
                number(data, 0),
                u64(data, 1));
    }

    /** Returns the preimage in the call data of a direct {@code claim}; empty for any other call. */
    public static Optional<byte[]> claimed(Bytes callData) {
        boolean isClaim =
                callData.length() == CLAIM.length + WORD && Arrays.equals(callData.slice(0, CLAIM.length), CLAIM);
        return isClaim ? Optional.of(callData.slice(CLAIM.length, callData.length())) : Optional.empty();
    }

    private static byte[] selector(String signature) {
        return Arrays.copyOf(Keccak256.of(ascii(signature)), 4);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static Bytes call(byte[] selector, byte[]... words) {
        ByteBuffer out =
                ByteBuffer.allocate(selector.length + WORD * words.length).put(selector);
        for (byte[] word : words) {
            out.put(word);
        }
        return Bytes.wrap(out.array());
    }

    private static byte[] word(EvmAddress address) {
        return ByteBuffer.allocate(WORD)
                .position(WORD - EvmAddress.LENGTH)
                .put(address.toArray())
                .array();
    }

    private static byte[] word(BigInteger number) {
        return BigIntegers.asUnsignedByteArray(WORD, number);
    }

    private static void requireLength(Bytes data, int words) {
        if (data.length() != words * WORD) {
            throw new IllegalArgumentException(
                    "expected " + words + " words of 32 bytes, got " + data.length() + " bytes");
        }
    }

    private static BigInteger number(Bytes data, int word) {
        return new BigInteger(1, data.slice(word * WORD, (word + 1) * WORD));
    }

    private static long u64(Bytes data, int word) {
        BigInteger number = number(data, word);
        if (number.bitLength() > Long.SIZE) {
            throw new IllegalArgumentException("not a u64: " + number);
        }
        return number.longValue();
    }

    private static EvmAddress address(Bytes data, int word) {
        int start = word * WORD;
        int end = start + WORD;
        for (int i = start; i < end - EvmAddress.LENGTH; i++) {
            if (data.at(i) != 0) {
                throw new IllegalArgumentException("a word of an address has bytes before it");
            }
        }
        return EvmAddress.of(data.slice(end - EvmAddress.LENGTH, end));
    }
}
