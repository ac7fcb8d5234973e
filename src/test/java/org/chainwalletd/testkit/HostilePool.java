package org.chainwalletd.testkit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.pool.PoolConduct;
import org.chainwalletd.devnet.pool.PoolSwap;
import org.chainwalletd.evm.EvmAddress;

/** Pool that behaves honestly except where a test specifies otherwise; the switches may be changed at any time. */
public final class HostilePool implements PoolConduct {
    private volatile Optional<EvmAddress> ownContract = Optional.empty();
    private volatile Consumer<ObjectNode> misquote = quote -> {};
    private volatile Consumer<PoolSwap> atQuote = swap -> {};
    private volatile boolean repeatsId;
    private volatile Optional<String> firstId = Optional.empty();
    private volatile int percentLocked = 100;
    private volatile Optional<Long> timeoutHeight = Optional.empty();
    private volatile boolean decoys;
    private volatile boolean datumHash;
    private volatile boolean keepsFromLocking;
    private volatile boolean keepsFromClaiming;
    private volatile boolean gone;

    /** Names another contract in its quotes than the common one. */
    public HostilePool ownContract(EvmAddress contract) {
        ownContract = Optional.of(contract);
        return this;
    }

    /** Changes quotes before they are sent. */
    public HostilePool misquotes(Consumer<ObjectNode> change) {
        misquote = change;
        return this;
    }

    /** Runs a step as soon as it has seen a hash lock, such as using its slot in the contract. */
    public HostilePool atQuote(Consumer<PoolSwap> step) {
        atQuote = step;
        return this;
    }

    /** Gives every quote the id of the first one. */
    public HostilePool repeatsId() {
        repeatsId = true;
        return this;
    }

    /** Locks only a part of the quoted amount, on either chain. */
    public HostilePool locksOnly(int percent) {
        percentLocked = percent;
        return this;
    }

    /** Makes its lock on the chain end at this height. */
    public HostilePool locksUntilHeight(long height) {
        timeoutHeight = Optional.of(height);
        return this;
    }

    /** Creates locks similar to the real one before it: one of dust, one to another key. */
    public HostilePool decoys() {
        decoys = true;
        return this;
    }

    /** Makes its lock on the chain commit to an unknown datum. */
    public HostilePool datumHash() {
        datumHash = true;
        return this;
    }

    /** Sets whether it does not lock although it should. */
    public HostilePool keepsFromLocking(boolean on) {
        keepsFromLocking = on;
        return this;
    }

    /** Sets whether it does not claim the user's lock although it knows the secret. */
    public HostilePool keepsFromClaiming(boolean on) {
        keepsFromClaiming = on;
        return this;
    }

    /** Sets whether it neither answers nor locks nor claims. */
    public HostilePool vanished(boolean on) {
        gone = on;
        return this;
    }

    @Override
    public void quoted(PoolSwap swap) {
        atQuote.accept(swap);
    }

    @Override
    public ObjectNode quote(ObjectNode honest) {
        ownContract.ifPresent(contract -> {
            honest.put("htlcContract", contract.toString());
            if (honest.path("instructions").path("evm") instanceof ObjectNode evm) {
                evm.put("htlcContract", contract.toString());
            }
        });
        if (repeatsId) {
            if (firstId.isEmpty()) {
                firstId = Optional.of(honest.get("swapId").textValue());
            }
            honest.put("swapId", firstId.get());
        }
        misquote.accept(honest);
        return honest;
    }

    @Override
    public boolean answers() {
        return !gone;
    }

    @Override
    public boolean locks(PoolSwap swap) {
        return !gone && !keepsFromLocking;
    }

    @Override
    public boolean claims(PoolSwap swap) {
        return !gone && !keepsFromClaiming;
    }

    @Override
    public BigInteger lockedWei(PoolSwap swap, BigInteger honest) {
        return part(honest);
    }

    @Override
    public long timeoutHeight(PoolSwap swap, long honest) {
        return timeoutHeight.orElse(honest);
    }

    @Override
    public List<TxOutput> lockOutputs(PoolSwap swap, TxOutput honest) {
        HtlcParams params = HtlcScript.recognise(honest.script()).orElseThrow();
        List<TxOutput> outputs = new ArrayList<>();
        if (decoys) {
            PublicKey other =
                    PublicKey.of(Hash256.sha256(params.receiver().toArray()).toArray());
            outputs.add(TxOutput.toScript(honest.script(), Amount.of(1_000)));
            outputs.add(TxOutput.toScript(
                    HtlcScript.build(new HtlcParams(params.sender(), other, params.hashLock(), params.timeoutHeight())),
                    Amount.of(1_000)));
        }
        TxOutput real =
                TxOutput.toScript(honest.script(), Amount.of(part(honest.value().toBigInteger())));
        outputs.add(
                datumHash ? real.withDatumHash(Hash256.sha256(params.hashLock().toArray())) : real);
        return outputs;
    }

    private BigInteger part(BigInteger whole) {
        return whole.multiply(BigInteger.valueOf(percentLocked)).divide(BigInteger.valueOf(100));
    }
}
