package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.evm.EvmAddress;

/** Executes transactions and calls on a state. */
final class EvmExecution {
    private static final long BARE = 21_000;
    private static final long CREATION = 32_000;
    private static final long BYTE_OF_CODE = 200;

    private EvmExecution() {}

    /** Returns the gas due before any code runs. */
    static long intrinsicGas(Bytes data, boolean makesContract) {
        long gas = BARE;
        for (byte one : data.toArray()) {
            gas += one == 0 ? 4 : 16;
        }
        return makesContract ? gas + CREATION + 2 * ((data.length() + 31) / 32) : gas;
    }

    /** Returns the minimum gas that a transaction pays for its data, whatever its code uses (EIP-7623). */
    private static long floor(Bytes data) {
        long gas = BARE;
        for (byte one : data.toArray()) {
            gas += one == 0 ? 10 : 40;
        }
        return gas;
    }

    /** Executes a transaction as part of a block; its gas is paid whether it succeeds or not. The caller has checked nonce, fee and balance. */
    static EvmReceipt include(
            World world, SignedTransaction tx, BigInteger baseFee, long time, List<EvmReceipt> before) {
        BigInteger price = baseFee.add(tx.tip(baseFee));
        EvmAddress made = tx.to().isEmpty() ? contractAddress(tx.from(), tx.nonce()) : null;
        world.nonce(tx.from(), tx.nonce() + 1);
        // Subtracted first, as on a real chain: value and gas can never use the same wei.
        world.take(tx.from(), price.multiply(BigInteger.valueOf(tx.gas())));
        long room = tx.gas() - intrinsicGas(tx.data(), made != null);
        TimeLock.Outcome outcome = run(world, tx.from(), tx.to(), made, tx.value(), tx.data(), time, room);
        long used =
                Math.min(tx.gas(), Math.max(intrinsicGas(tx.data(), made != null) + outcome.gas(), floor(tx.data())));
        world.balance(tx.from(), world.balance(tx.from()).add(price.multiply(BigInteger.valueOf(tx.gas() - used))));
        long gasBefore = before.stream().mapToLong(EvmReceipt::gasUsed).sum();
        int logsBefore =
                before.stream().mapToInt(other -> other.events().size()).sum();
        List<TimeLock.Event> events = outcome instanceof TimeLock.Returned done ? done.events() : List.of();
        return new EvmReceipt(
                tx,
                before.size(),
                outcome instanceof TimeLock.Returned,
                used,
                gasBefore + used,
                price,
                logsBefore,
                events,
                Optional.ofNullable(made));
    }

    /** Runs code with {@code room} units of gas; if that is too little, nothing changes and all of it is used. */
    private static TimeLock.Outcome run(
            World world,
            EvmAddress from,
            Optional<EvmAddress> to,
            EvmAddress made,
            BigInteger value,
            Bytes data,
            long time,
            long room) {
        TimeLock.Outcome rehearsed = call(world.copy(), from, to, made, value, data, time);
        if (rehearsed.gas() > room) {
            return new TimeLock.Reverted(Optional.of("out of gas"), Math.max(room, 0));
        }
        return call(world, from, to, made, value, data, time);
    }

    static TimeLock.Outcome call(
            World world,
            EvmAddress from,
            Optional<EvmAddress> to,
            EvmAddress made,
            BigInteger value,
            Bytes data,
            long time) {
        if (world.balance(from).compareTo(value) < 0) {
            return new TimeLock.Reverted(Optional.of("balance too low"), 0);
        }
        if (to.isEmpty()) {
            return create(world, made, value, data);
        }
        if (world.code(to.get()).isEmpty()) {
            world.move(from, to.get(), value);
            return new TimeLock.Returned(Bytes.EMPTY, List.of(), 0);
        }
        return TimeLock.call(world, to.get(), from, value, data, time);
    }

    private static TimeLock.Outcome create(World world, EvmAddress made, BigInteger value, Bytes data) {
        if (value.signum() != 0 || !data.equals(TimeLock.INIT_CODE)) {
            return new TimeLock.Reverted(Optional.of("this chain knows one contract only"), 0);
        }
        world.code(made, TimeLock.RUNTIME);
        world.nonce(made, 1);
        return new TimeLock.Returned(TimeLock.RUNTIME, List.of(), BYTE_OF_CODE * TimeLock.RUNTIME.length() + 100);
    }

    /** Returns the last 20 bytes of {@code Keccak-256(rlp([sender, nonce]))}. */
    static EvmAddress contractAddress(EvmAddress sender, long nonce) {
        byte[] hash = Keccak256.of(RlpItem.list(RlpItem.text(sender.toArray()), RlpItem.number(nonce))
                .encode());
        return EvmAddress.of(Arrays.copyOfRange(hash, 12, 32));
    }
}
