package org.chainwalletd.testkit.evm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/** Native implementation of {@code HashTimeLock.sol}; gas as {@code anvil} counted it for the compiled contract. */
final class TimeLock {
    private static final int WORD = 32;
    private static final int PAY_NEW_ACCOUNT = 25_000;
    private static final int REFUSAL = 2_800;
    private static final JsonNode COMPILED = compiled();

    /** Code that creates the contract. */
    static final Bytes INIT_CODE = Bytes.parse(COMPILED.required("bytecode").textValue());

    /** Code at the contract's address afterwards. */
    static final Bytes RUNTIME =
            Bytes.parse(COMPILED.required("deployedBytecode").textValue());

    /** Outcome of a call; {@code gas} is the amount used by the code itself, above the price of the call. */
    sealed interface Outcome {
        long gas();
    }

    record Returned(Bytes data, List<Event> events, long gas) implements Outcome {}

    /** Reverted call, which changed nothing. */
    record Reverted(Optional<String> reason, long gas) implements Outcome {
        /** Returns the return data: empty, or {@code Error(string)}. */
        Bytes data() {
            return reason.map(TimeLock::error).orElse(Bytes.EMPTY);
        }
    }

    /** Log entry of {@code address}. */
    record Event(EvmAddress address, List<Hash256> topics, Bytes data) {}

    private final World world;
    private final EvmAddress self;
    private final EvmAddress caller;
    private final BigInteger value;
    private final Bytes input;
    private final long now;

    private TimeLock(World world, EvmAddress self, EvmAddress caller, BigInteger value, Bytes input, long now) {
        this.world = world;
        this.self = self;
        this.caller = caller;
        this.value = value;
        this.input = input;
        this.now = now;
    }

    /**
     * Calls the contract at {@code self}; the value is transferred unless the call reverts.
     *
     * @param now block time, Unix seconds, u64
     */
    static Outcome call(World world, EvmAddress self, EvmAddress caller, BigInteger value, Bytes input, long now) {
        return new TimeLock(world, self, caller, value, input, now).run();
    }

    private Outcome run() {
        if (is(SwapContract.lock(Hash256.ZERO, self, 0)) && holds(3)) {
            return lock();
        }
        if (value.signum() != 0) {
            return new Reverted(Optional.empty(), REFUSAL);
        }
        if (is(SwapContract.claim(new byte[WORD])) && holds(1)) {
            return claim();
        }
        if (is(SwapContract.refund(Hash256.ZERO)) && holds(1)) {
            return refund();
        }
        if (is(SwapContract.getSwap(Hash256.ZERO)) && holds(1)) {
            return new Returned(terms(world.swap(self, word(0))), List.of(), 5_000);
        }
        return new Reverted(Optional.empty(), REFUSAL);
    }

    private Outcome lock() {
        Hash256 hashLock = word(0);
        BigInteger recipientWord = number(1);
        BigInteger deadlineWord = number(2);
        if (recipientWord.bitLength() > 8 * EvmAddress.LENGTH || deadlineWord.bitLength() > Long.SIZE) {
            return new Reverted(Optional.empty(), REFUSAL);
        }
        EvmAddress recipient = EvmAddress.of(BigIntegers.asUnsignedByteArray(EvmAddress.LENGTH, recipientWord));
        long deadline = deadlineWord.longValue();
        if (value.signum() == 0) {
            return refused("no value");
        }
        if (recipient.isZero()) {
            return refused("no recipient");
        }
        if (U64.compare(deadline, now) <= 0) {
            return refused("timeout is over");
        }
        if (state(hashLock) != SwapContract.State.NONE) {
            return refused("hash lock used");
        }
        world.move(caller, self, value);
        world.swap(
                self, hashLock, new SwapContract.Swap(caller, recipient, value, deadline, SwapContract.State.LOCKED));
        Event locked = new Event(
                self,
                List.of(SwapContract.LOCKED_TOPIC, hashLock, padded(caller), padded(recipient)),
                words(value, deadlineWord));
        return new Returned(Bytes.EMPTY, List.of(locked), 69_623);
    }

    private Outcome claim() {
        Hash256 hashLock = Hash256.sha256(word(0).toArray());
        if (state(hashLock) != SwapContract.State.LOCKED) {
            return refused("not locked");
        }
        return pay(
                hashLock, SwapContract.State.CLAIMED, world.swap(self, hashLock).recipient(), 19_872);
    }

    private Outcome refund() {
        Hash256 hashLock = word(0);
        SwapContract.Swap swap = world.swap(self, hashLock);
        if (swap.state() != SwapContract.State.LOCKED) {
            return refused("not locked");
        }
        if (!swap.sender().equals(caller)) {
            return refused("not the sender");
        }
        if (U64.compare(now, swap.deadline()) < 0) {
            return refused("not due");
        }
        return pay(hashLock, SwapContract.State.REFUNDED, swap.sender(), 14_886);
    }

    private Outcome pay(Hash256 hashLock, SwapContract.State end, EvmAddress to, long gas) {
        if (!world.code(to).isEmpty()) {
            return refused("payment refused");
        }
        long more = world.knows(to) ? 0 : PAY_NEW_ACCOUNT;
        SwapContract.Swap swap = world.swap(self, hashLock);
        world.move(self, to, swap.amount());
        world.swap(
                self,
                hashLock,
                new SwapContract.Swap(swap.sender(), swap.recipient(), swap.amount(), swap.deadline(), end));
        return new Returned(Bytes.EMPTY, List.of(), gas + more);
    }

    private SwapContract.State state(Hash256 hashLock) {
        return world.swap(self, hashLock).state();
    }

    private static Outcome refused(String reason) {
        return new Reverted(Optional.of(reason), REFUSAL);
    }

    private boolean is(Bytes call) {
        return input.length() >= 4 && Arrays.equals(input.slice(0, 4), call.slice(0, 4));
    }

    private boolean holds(int words) {
        return input.length() >= 4 + words * WORD;
    }

    private Hash256 word(int index) {
        return Hash256.of(input.slice(4 + index * WORD, 4 + (index + 1) * WORD));
    }

    private BigInteger number(int index) {
        return new BigInteger(1, word(index).toArray());
    }

    static Bytes terms(SwapContract.Swap swap) {
        return words(
                new BigInteger(1, swap.sender().toArray()),
                new BigInteger(1, swap.recipient().toArray()),
                swap.amount(),
                U64.toBigInteger(swap.deadline()),
                BigInteger.valueOf(swap.state().ordinal()));
    }

    private static Hash256 padded(EvmAddress address) {
        return Hash256.of(BigIntegers.asUnsignedByteArray(WORD, new BigInteger(1, address.toArray())));
    }

    private static Bytes words(BigInteger... numbers) {
        ByteBuffer out = ByteBuffer.allocate(WORD * numbers.length);
        for (BigInteger number : numbers) {
            out.put(BigIntegers.asUnsignedByteArray(WORD, number));
        }
        return Bytes.wrap(out.array());
    }

    private static Bytes error(String reason) {
        byte[] text = reason.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer out = ByteBuffer.allocate(4 + 3 * WORD).put(new byte[] {0x08, (byte) 0xc3, 0x79, (byte) 0xa0});
        out.put(words(BigInteger.valueOf(WORD), BigInteger.valueOf(text.length)).toArray());
        out.put(text);
        return Bytes.wrap(out.array());
    }

    private static JsonNode compiled() {
        try (InputStream in = TimeLock.class.getResourceAsStream("/org/chainwalletd/devnet/pool/HashTimeLock.json")) {
            return new JsonMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
