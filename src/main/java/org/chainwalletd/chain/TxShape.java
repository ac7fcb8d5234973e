package org.chainwalletd.chain;

import java.util.List;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;

/**
 * Counts and lengths that determine a transaction's cost (chain protocol, section 7.1), without its content. Immutable; every {@code plus…} is
 * O(1), so coin selection can price a candidate without building it. A shape composed of a transaction's parts has exactly the cost of the finished
 * transaction.
 *
 * <p>Sums saturate at {@link Long#MAX_VALUE} instead of overflowing; such a shape never {@link #fitsLimits}.
 */
public final class TxShape {
    public static final TxShape EMPTY = new TxShape(0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static final int MAX_COUNT = 65_535;
    private static final int HTLC_VALIDATION = 10 * (int) Fees.chunks(HtlcScript.LENGTH);
    private static final int ACCESS_COST = 100 + 500;
    private static final int TYPE_CHECK_COST = 1_000;
    private static final int SIGNING_OVERHEAD = 45;
    private static final int PLAIN_OUTPUT_BYTES = 44;
    private static final int OUTPUT_OVERHEAD = 12;
    private static final int INPUT_BYTES = 36;
    private static final int WITNESS_OVERHEAD = 3;

    private final long plainInputs;
    private final long htlcInputs;
    /** Steps of the HTLC inputs that do not depend on the signing message. */
    private final long htlcFixedSteps;

    private final long witnessBytes;
    private final long witnessChunks;
    private final long outputs;
    private final long outputBytes;
    private final long scriptOutputs;
    private final long datumChunks;

    private TxShape(
            long plainInputs,
            long htlcInputs,
            long htlcFixedSteps,
            long witnessBytes,
            long witnessChunks,
            long outputs,
            long outputBytes,
            long scriptOutputs,
            long datumChunks) {
        this.plainInputs = plainInputs;
        this.htlcInputs = htlcInputs;
        this.htlcFixedSteps = htlcFixedSteps;
        this.witnessBytes = witnessBytes;
        this.witnessChunks = witnessChunks;
        this.outputs = outputs;
        this.outputBytes = outputBytes;
        this.scriptOutputs = scriptOutputs;
        this.datumChunks = datumChunks;
    }

    /**
     * Returns the shape of a finished transaction.
     *
     * @param kinds kind of output that each input spends, in the order of the inputs
     * @throws IllegalArgumentException when the lists do not match or a witness cannot spend its HTLC
     */
    public static TxShape of(Transaction tx, List<InputKind> kinds) {
        if (tx.witnesses().size() != tx.inputs().size()
                || kinds.size() != tx.inputs().size()) {
            throw new IllegalArgumentException("one witness and one kind per input");
        }
        TxShape shape = ofOutputs(tx.outputs());
        for (int i = 0; i < kinds.size(); i++) {
            shape = shape.plusInput(kinds.get(i), tx.witnesses().get(i));
        }
        return shape;
    }

    /** Returns a shape with these outputs and no inputs. */
    public static TxShape ofOutputs(List<TxOutput> outputs) {
        TxShape shape = EMPTY;
        for (TxOutput output : outputs) {
            shape = shape.plusOutput(output);
        }
        return shape;
    }

    /** Adds {@code count} inputs that spend plain outputs, each with a 96-byte witness. */
    public TxShape plusPlainInputs(long count) {
        checkCount(count);
        return inputs(
                count,
                0,
                0,
                saturatedMultiply(count, WITNESS_OVERHEAD + Witness.PLAIN_LENGTH),
                saturatedMultiply(count, Fees.chunks(Witness.PLAIN_LENGTH)));
    }

    /** Adds an HTLC claim input with a preimage of this length and no redeemer. */
    public TxShape plusClaim(int preimageLength) {
        return plusHtlcInput(HtlcEvaluation.claimFixedSteps(preimageLength), HtlcWitness.claimLength(preimageLength));
    }

    /** Adds an HTLC reclaim input without a redeemer. */
    public TxShape plusReclaim() {
        return plusHtlcInput(HtlcEvaluation.RECLAIM_BASE_STEPS, HtlcWitness.RECLAIM_LENGTH);
    }

    /** Adds a redeemer of this length to an existing HTLC input. */
    public TxShape plusRedeemer(int length) {
        return inputs(0, 0, 0, 2L + length, Fees.chunks(length));
    }

    /** Adds an output with its script and datum. */
    public TxShape plusOutput(TxOutput output) {
        return outputs(
                1,
                output.encodedLength(),
                output.isPlain() ? 0 : 1,
                output.datum() == null ? 0 : Fees.chunks(output.datum().length()));
    }

    /** Adds {@code count} outputs to addresses, without datum. */
    public TxShape plusPlainOutputs(long count) {
        checkCount(count);
        return outputs(count, saturatedMultiply(count, PLAIN_OUTPUT_BYTES), 0, 0);
    }

    /** Adds an inline datum of this length, possibly 0, to an existing output. */
    public TxShape plusDatum(int length) {
        return outputs(0, 2L + length, 0, Fees.chunks(length));
    }

    public long inputs() {
        return saturatedAdd(plainInputs, htlcInputs);
    }

    public long outputs() {
        return outputs;
    }

    /** Returns {@code M}: the length of the signing message in bytes. */
    public long signingMessageLength() {
        return saturatedAdd(SIGNING_OVERHEAD, saturatedAdd(saturatedMultiply(INPUT_BYTES, inputs()), outputBytes));
    }

    /** Returns the length of the serialised transaction in bytes. */
    public long size() {
        return saturatedAdd(signingMessageLength() - SIGNING_OVERHEAD + 4, witnessBytes);
    }

    /** Returns the evaluation steps of all inputs, which are limited to 20,000,000. */
    public long steps() {
        long length = signingMessageLength();
        return saturatedAdd(
                saturatedMultiply(plainInputs, Fees.plainInputSteps(length)),
                saturatedAdd(htlcFixedSteps, saturatedMultiply(htlcInputs, HtlcEvaluation.messageSteps(length))));
    }

    /** Returns {@code tx_cost}. */
    public long cost() {
        long cost = saturatedAdd(steps(), saturatedMultiply(htlcInputs, HTLC_VALIDATION));
        cost = saturatedAdd(cost, saturatedMultiply(scriptOutputs, TYPE_CHECK_COST));
        cost = saturatedAdd(cost, witnessChunks);
        cost = saturatedAdd(cost, datumChunks);
        cost = saturatedAdd(cost, Fees.chunks(size()));
        return saturatedAdd(cost, saturatedMultiply(saturatedAdd(inputs(), outputs), ACCESS_COST));
    }

    public Amount minimumFee() {
        return Fees.minimumFee(cost());
    }

    /** Tests whether counts, size and steps are within the consensus limits (section 4.5). */
    public boolean fitsLimits() {
        return inputs() <= MAX_COUNT
                && outputs <= MAX_COUNT
                && size() <= ChainProfile.MAX_TRANSACTION_BYTES
                && steps() <= ChainProfile.MAX_STEPS_PER_TRANSACTION;
    }

    private TxShape plusInput(InputKind kind, Witness witness) {
        TxShape shape;
        if (kind == InputKind.PLAIN) {
            shape = inputs(
                    1,
                    0,
                    0,
                    WITNESS_OVERHEAD + witness.data().length(),
                    Fees.chunks(witness.data().length()));
        } else {
            HtlcSpend spend = HtlcWitness.classify(witness)
                    .orElseThrow(() -> new IllegalArgumentException("the witness cannot spend an HTLC"));
            shape = spend instanceof HtlcSpend.Claim claim
                    ? plusClaim(claim.preimage().length())
                    : plusReclaim();
        }
        return witness.redeemer() == null
                ? shape
                : shape.plusRedeemer(witness.redeemer().length());
    }

    private TxShape plusHtlcInput(long fixedSteps, int witnessLength) {
        return inputs(0, 1, fixedSteps, WITNESS_OVERHEAD + witnessLength, Fees.chunks(witnessLength));
    }

    private TxShape inputs(long plain, long htlc, long fixedSteps, long bytes, long chunks) {
        return new TxShape(
                saturatedAdd(plainInputs, plain),
                saturatedAdd(htlcInputs, htlc),
                saturatedAdd(htlcFixedSteps, fixedSteps),
                saturatedAdd(witnessBytes, bytes),
                saturatedAdd(witnessChunks, chunks),
                outputs,
                outputBytes,
                scriptOutputs,
                datumChunks);
    }

    private TxShape outputs(long count, long bytes, long scripts, long chunks) {
        return new TxShape(
                plainInputs,
                htlcInputs,
                htlcFixedSteps,
                witnessBytes,
                witnessChunks,
                saturatedAdd(outputs, count),
                saturatedAdd(outputBytes, bytes),
                saturatedAdd(scriptOutputs, scripts),
                saturatedAdd(datumChunks, chunks));
    }

    private static void checkCount(long count) {
        if (count < 0) {
            throw new IllegalArgumentException("negative count " + count);
        }
    }

    /** Adds two operands that are not negative. */
    private static long saturatedAdd(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Multiplies two operands that are not negative. */
    private static long saturatedMultiply(long a, long b) {
        return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
    }

    /**
     * Run-time cost of the HTLC program in evaluation steps, by the closed forms of chain protocol, section 6.5. Independent of the parameters,
     * because only the lengths of the hashed data vary.
     */
    public static final class HtlcEvaluation {
        /** Steps of a claim without the part that depends on the signing message and the preimage. */
        static final int CLAIM_BASE_STEPS = 5_536;
        /** Steps of a reclaim without the part that depends on the signing message. */
        static final int RECLAIM_BASE_STEPS = 5_037;

        private HtlcEvaluation() {}

        /**
         * @param signingMessageLength {@code M}, in bytes
         * @param preimageLength {@code P}, in bytes
         */
        public static long claimSteps(long signingMessageLength, int preimageLength) {
            return claimFixedSteps(preimageLength) + messageSteps(signingMessageLength);
        }

        /**
         * @param signingMessageLength {@code M}, in bytes
         */
        public static long reclaimSteps(long signingMessageLength) {
            return RECLAIM_BASE_STEPS + messageSteps(signingMessageLength);
        }

        static long claimFixedSteps(int preimageLength) {
            return CLAIM_BASE_STEPS + 8L * (preimageLength / 64);
        }

        /** Returns the steps of TxSigHash, which builds the message, and of Ed25519Verify, which hashes it. */
        static long messageSteps(long signingMessageLength) {
            return signingMessageLength / 64 + 8 * Fees.chunks(signingMessageLength);
        }
    }

    /** Kinds of outputs that an input can spend, as far as its cost depends on them (chain protocol, section 7.1). */
    public enum InputKind {
        PLAIN,
        HTLC;

        /**
         * Returns the kind of an input that spends an output with this script.
         *
         * @throws IllegalArgumentException for a script that is neither an address nor an HTLC
         */
        public static InputKind ofSpentScript(Bytes script) {
            if (script.length() == Address.LENGTH) {
                return PLAIN;
            }
            if (HtlcScript.isHtlc(script)) {
                return HTLC;
            }
            throw new IllegalArgumentException("a script of " + script.length() + " bytes that is no HTLC");
        }
    }
}
