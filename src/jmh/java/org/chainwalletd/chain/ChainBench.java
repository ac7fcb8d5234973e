package org.chainwalletd.chain;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a follower does for every transaction of a block, and what coin selection does for every candidate. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class ChainBench {
    private final ChainProfile profile = ChainProfile.of("chain");
    private final Hash256 id = Hash256.sha256(new byte[] {1});
    private final Address address = Address.of(id.toArray());
    private final Bytes htlc =
            HtlcScript.build(new HtlcParams(PublicKey.of(id.toArray()), PublicKey.of(id.toArray()), id, 1_000));
    private final Bytes lookalike = Bytes.wrap(almost(htlc));
    private final Witness claim = HtlcWitness.claim(new byte[32], new byte[64]);

    private final Transaction payment = new Transaction(
            List.of(new Outpoint(id, 0)),
            Collections.nCopies(2, TxOutput.toAddress(address, Amount.of(1_000))),
            List.of(Witness.plain(PublicKey.of(id.toArray()), new byte[64])));
    private final Transaction sweep = new Transaction(
            Collections.nCopies(1_000, new Outpoint(id, 0)),
            List.of(TxOutput.toAddress(address, Amount.of(1_000))),
            Collections.nCopies(1_000, Witness.plain(PublicKey.of(id.toArray()), new byte[64])));
    private final byte[] paymentBytes = TransactionCodec.encode(payment);
    private final byte[] sweepBytes = TransactionCodec.encode(sweep);
    private final TxShape twoOutputs = TxShape.EMPTY.plusPlainOutputs(2);
    private final StateTree tree = treeOf(10_000);
    private int next;

    private static byte[] almost(Bytes script) {
        byte[] bytes = script.toArray();
        bytes[bytes.length - 1] ^= 1;
        return bytes;
    }

    private StateTree treeOf(int size) {
        StateTree filled = StateTree.EMPTY;
        for (int i = 0; i < size; i++) {
            filled = filled.insert(StateTree.key(profile, new Outpoint(id, i)), id);
        }
        filled.root();
        return filled;
    }

    @Benchmark
    public Transaction decodePayment() {
        return TransactionCodec.decode(paymentBytes);
    }

    @Benchmark
    public Transaction decodeThousandInputs() {
        return TransactionCodec.decode(sweepBytes);
    }

    @Benchmark
    public byte[] encodePayment() {
        return TransactionCodec.encode(payment);
    }

    @Benchmark
    public Hash256 txIdOfPayment() {
        return TransactionCodec.txId(profile, payment);
    }

    @Benchmark
    public Object recogniseHtlc() {
        return HtlcScript.recognise(htlc);
    }

    @Benchmark
    public Object recogniseLookalike() {
        return HtlcScript.recognise(lookalike);
    }

    @Benchmark
    public Object classifyClaim() {
        return HtlcWitness.classify(claim);
    }

    @Benchmark
    public long estimateCostOfOneMoreInput() {
        return twoOutputs.plusPlainInputs(17).cost();
    }

    @Benchmark
    public Amount estimateFeeOfOneMoreInput() {
        return twoOutputs.plusPlainInputs(17).minimumFee();
    }

    /** One output spent and one created in a set of 10,000, with the new root. */
    @Benchmark
    public Hash256 stateRootAfterOneSpend() {
        next = next == 9_999 ? 0 : next + 1;
        return tree.remove(StateTree.key(profile, new Outpoint(id, next)))
                .insert(StateTree.key(profile, new Outpoint(id, next + 100_000)), id)
                .root();
    }
}
