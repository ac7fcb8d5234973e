package org.chainwalletd.swap.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.pool.PoolConduct;
import org.chainwalletd.devnet.pool.PoolSwap;

/** A pool that treats each swap differently. */
public final class PoolManners implements PoolConduct {
    public enum Kind {
        HONEST,
        /** The promised amount less one percent. */
        PAYS_LESS,
        /** A lock that ends before the margin. */
        ENDS_SOON,
        /** A lock of the longest possible duration. */
        ENDS_NEVER,
        DECOYS,
        DATUM_HASH,
        TAKEN_SLOT,
        LYING_STATUS,
        /** Locks after it should no longer lock. */
        LOCKS_LATE,
        NEVER_LOCKS,
        /** Withholds the claim until the end. */
        CLAIMS_LATE,
        NEVER_CLAIMS,
        /** Reports that it has sent our claim, but withholds the secret. */
        SILENT_RELAY;

        /** Tests whether the secret may be revealed at all. */
        boolean mayBePaid() {
            return this == HONEST
                    || this == ENDS_NEVER
                    || this == DECOYS
                    || this == LYING_STATUS
                    || this == CLAIMS_LATE
                    || this == SILENT_RELAY
                    || this == NEVER_CLAIMS;
        }
    }

    private final Map<Hash256, Kind> kinds = new ConcurrentHashMap<>();
    private volatile boolean late;
    private volatile boolean gone;
    private volatile Consumer<Hash256> thief = hashLock -> {};

    void expect(Hash256 hashLock, Kind kind) {
        kinds.put(hashLock, kind);
    }

    /** Sets whether it is late enough for those that delay to act. */
    void late(boolean on) {
        late = on;
    }

    void gone(boolean on) {
        gone = on;
    }

    /** Sets the party that takes the slot of a hash lock as soon as the pool knows it. */
    void thief(Consumer<Hash256> taker) {
        thief = taker;
    }

    private Kind of(PoolSwap swap) {
        return kinds.getOrDefault(swap.hashLock(), Kind.HONEST);
    }

    @Override
    public void quoted(PoolSwap swap) {
        if (of(swap) == Kind.TAKEN_SLOT) {
            thief.accept(swap.hashLock());
        }
    }

    @Override
    public ObjectNode status(ObjectNode honest) {
        return honest.put("status", "completed").put("poolLockTxhash", "0x" + "ab".repeat(32));
    }

    @Override
    public boolean answers() {
        return !gone;
    }

    @Override
    public boolean locks(PoolSwap swap) {
        Kind kind = of(swap);
        return !gone && kind != Kind.NEVER_LOCKS && (kind != Kind.LOCKS_LATE || late);
    }

    @Override
    public boolean claims(PoolSwap swap) {
        Kind kind = of(swap);
        return !gone && kind != Kind.NEVER_CLAIMS && (kind != Kind.CLAIMS_LATE || late);
    }

    @Override
    public BigInteger lockedWei(PoolSwap swap, BigInteger honest) {
        return part(swap, honest);
    }

    @Override
    public long deadline(PoolSwap swap, long honest) {
        return switch (of(swap)) {
            case ENDS_SOON -> honest - 400 + SwapWorld.EVM_MARGIN;
            case ENDS_NEVER -> Long.MAX_VALUE;
            default -> honest;
        };
    }

    @Override
    public long timeoutHeight(PoolSwap swap, long honest) {
        return switch (of(swap)) {
            case ENDS_SOON -> honest - 60 + SwapWorld.CHAIN_MARGIN;
            case ENDS_NEVER -> Long.MAX_VALUE;
            default -> honest;
        };
    }

    @Override
    public List<TxOutput> lockOutputs(PoolSwap swap, TxOutput honest) {
        HtlcParams params = HtlcScript.recognise(honest.script()).orElseThrow();
        TxOutput real = TxOutput.toScript(
                honest.script(), Amount.of(part(swap, honest.value().toBigInteger())));
        if (of(swap) == Kind.DATUM_HASH) {
            return List.of(real.withDatumHash(Hash256.sha256(params.hashLock().toArray())));
        }
        List<TxOutput> outputs = new ArrayList<>();
        if (of(swap) == Kind.DECOYS) {
            PublicKey other =
                    PublicKey.of(Hash256.sha256(params.receiver().toArray()).toArray());
            outputs.add(TxOutput.toScript(honest.script(), Amount.of(1_000)));
            outputs.add(TxOutput.toScript(
                    HtlcScript.build(new HtlcParams(params.sender(), other, params.hashLock(), params.timeoutHeight())),
                    Amount.of(1_000)));
        }
        outputs.add(real);
        return outputs;
    }

    @Override
    public Optional<String> relayedInstead(PoolSwap swap) {
        return of(swap) == Kind.SILENT_RELAY ? Optional.of("0x" + "cd".repeat(32)) : Optional.empty();
    }

    private BigInteger part(PoolSwap swap, BigInteger whole) {
        return of(swap) == Kind.PAYS_LESS
                ? whole.multiply(BigInteger.valueOf(99)).divide(BigInteger.valueOf(100))
                : whole;
    }
}
