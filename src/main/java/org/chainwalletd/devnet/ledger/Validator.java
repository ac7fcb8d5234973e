package org.chainwalletd.devnet.ledger;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.ScriptProgram;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.TxShape.InputKind;
import org.chainwalletd.chain.U64;
import org.chainwalletd.chain.Witness;

/** The consensus checks of one transaction in the order of chain protocol, section 8.1; the first failure is the one reported. */
final class Validator {
    private final ChainProfile profile;
    private final Network network;
    private final Hash256 genesisId;
    private final SignatureCache signatures = new SignatureCache();

    Validator(ChainProfile profile, Network network, Hash256 genesisId) {
        this.network = network;
        this.profile = profile;
        this.genesisId = genesisId;
    }

    /**
     * A transaction that passed.
     *
     * @param spent what its inputs consume, in their order
     */
    record Verdict(List<Coin> spent, Amount fee, long cost) {}

    /**
     * @param coins the unspent outputs it may consume; null for an unknown one
     * @param height of the block that would contain it
     * @throws RejectedException whose message is the variant of the failure
     */
    Verdict validate(Transaction tx, Function<Outpoint, Coin> coins, long height) {
        checkForm(tx);
        checkOutputs(tx);
        List<Coin> spent = resolve(tx, coins, height);
        Amount fee = fee(tx, spent);
        checkScripts(tx);
        checkInputs(tx, spent, height);
        long cost = TxShape.of(tx, kinds(spent)).cost();
        Amount minimum = Fees.minimumFee(cost);
        if (fee.isLessThan(minimum)) {
            throw new RejectedException("FeeBelowMinimum { fee: " + fee + ", min_fee: " + minimum + " }");
        }
        return new Verdict(spent, fee, cost);
    }

    private static void checkForm(Transaction tx) {
        if (tx.inputs().isEmpty()) {
            throw new RejectedException("NoInputs");
        }
        if (tx.outputs().isEmpty()) {
            throw new RejectedException("NoOutputs");
        }
        long size = TransactionCodec.length(tx);
        if (size > ChainProfile.MAX_TRANSACTION_BYTES) {
            throw new RejectedException("TxTooLarge { size: " + size + " }");
        }
        Set<Outpoint> seen = new HashSet<>();
        for (Outpoint input : tx.inputs()) {
            if (!seen.add(input)) {
                throw new RejectedException("DuplicateInput(" + Texts.of(input) + ")");
            }
        }
    }

    private static void checkOutputs(Transaction tx) {
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            if (output.value().isLessThan(ChainProfile.DUST_THRESHOLD)) {
                throw new RejectedException(
                        "OutputBelowDust { output_index: " + i + ", value: " + output.value() + " }");
            }
            if (!output.datumMatchesHash()) {
                throw new RejectedException("DatumHashMismatch(" + i + ")");
            }
        }
    }

    private List<Coin> resolve(Transaction tx, Function<Outpoint, Coin> coins, long height) {
        List<Coin> spent = new ArrayList<>(tx.inputs().size());
        for (Outpoint input : tx.inputs()) {
            Coin coin = coins.apply(input);
            if (coin == null) {
                throw new RejectedException("UtxoNotFound(" + Texts.of(input) + ")");
            }
            if (!coin.isMatureAt(height, network)) {
                throw new RejectedException("CoinbaseImmature { outpoint: " + Texts.of(input) + ", age: "
                        + (height - coin.height()) + " }");
            }
            spent.add(coin);
        }
        return spent;
    }

    private static Amount fee(Transaction tx, List<Coin> spent) {
        BigInteger in = sum(spent.stream().map(coin -> coin.output().value()).toList());
        BigInteger out = sum(tx.outputs().stream().map(TxOutput::value).toList());
        if (in.compareTo(out) < 0) {
            throw new RejectedException("InsufficientInputValue");
        }
        return Amount.of(in.subtract(out));
    }

    private static BigInteger sum(List<Amount> amounts) {
        BigInteger total = BigInteger.ZERO;
        for (Amount amount : amounts) {
            total = total.add(amount.toBigInteger());
        }
        if (total.compareTo(U64.MAX) > 0) {
            throw new RejectedException("ValueOverflow");
        }
        return total;
    }

    private static void checkScripts(Transaction tx) {
        for (int i = 0; i < tx.outputs().size(); i++) {
            Bytes script = tx.outputs().get(i).script();
            boolean address = script.length() == Address.LENGTH;
            if (address && ScriptProgram.isWellFormed(script)) {
                throw new RejectedException("AmbiguousScript(" + i + ")");
            }
            if (!address && !HtlcScript.isHtlc(script)) {
                throw new RejectedException("IllTypedScript(" + i + ")");
            }
        }
    }

    private void checkInputs(Transaction tx, List<Coin> spent, long height) {
        byte[] message = TransactionCodec.signingMessage(profile, genesisId, tx);
        checkBudget(tx, spent, message.length);
        for (int i = 0; i < spent.size(); i++) {
            TxOutput output = spent.get(i).output();
            Witness witness = tx.witnesses().get(i);
            if (output.isPlain()) {
                checkPlainInput(i, output.address().orElseThrow(), witness, message);
            } else {
                checkHtlcInput(i, output, witness, message, height);
            }
        }
    }

    /** The steps of all inputs together, before any signature is looked at (chain protocol, section 17). */
    private static void checkBudget(Transaction tx, List<Coin> spent, int messageLength) {
        long steps = 0;
        for (int i = 0; i < spent.size(); i++) {
            steps += spent.get(i).output().isPlain()
                    ? Fees.plainInputSteps(messageLength)
                    : htlcSteps(tx.witnesses().get(i), messageLength);
        }
        if (steps > ChainProfile.MAX_STEPS_PER_TRANSACTION) {
            throw failed(
                    spent.size() - 1, HtlcProgram.ScriptFailure.budget(steps, ChainProfile.MAX_STEPS_PER_TRANSACTION));
        }
    }

    /** Returns 0 for a witness that cannot spend: its input fails later anyway. */
    private static long htlcSteps(Witness witness, int messageLength) {
        HtlcSpend spend = HtlcWitness.classify(witness).orElse(null);
        if (spend == null) {
            return 0;
        }
        return spend instanceof HtlcSpend.Claim claim
                ? TxShape.HtlcEvaluation.claimSteps(
                        messageLength, claim.preimage().length())
                : TxShape.HtlcEvaluation.reclaimSteps(messageLength);
    }

    private static RejectedException failed(int index, HtlcProgram.ScriptFailure failure) {
        return new RejectedException("ScriptEvalFailed { input_index: " + index + ", reason: \""
                + failure.getMessage().replace("\"", "\\\"") + "\" }");
    }

    private void checkPlainInput(int index, Address owner, Witness witness, byte[] message) {
        int length = witness.data().length();
        if (length != Witness.PLAIN_LENGTH) {
            throw new RejectedException("WitnessInvalid { input_index: " + index + ", reason: \"witness length "
                    + length + " != " + Witness.PLAIN_LENGTH + "\" }");
        }
        if (witness.redeemer() != null) {
            throw new RejectedException("Phase1HasRedeemer { input_index: " + index + " }");
        }
        byte[] publicKey = witness.data().slice(0, PublicKey.LENGTH);
        if (!profile.addressOf(PublicKey.of(publicKey)).equals(owner)) {
            throw new RejectedException("PubkeyHashMismatch { input_index: " + index + " }");
        }
        if (!signatures.verify(publicKey, message, witness.data().slice(PublicKey.LENGTH, length))) {
            throw new RejectedException("SignatureInvalid { input_index: " + index + " }");
        }
    }

    private void checkHtlcInput(int index, TxOutput output, Witness witness, byte[] message, long height) {
        try {
            HtlcProgram.run(
                    HtlcScript.recognise(output.script()).orElseThrow(),
                    output,
                    witness,
                    height,
                    (key, signature) -> signatures.verify(key, message, signature));
        } catch (HtlcProgram.ScriptFailure e) {
            throw failed(index, e);
        }
    }

    private static List<InputKind> kinds(List<Coin> spent) {
        return spent.stream()
                .map(coin -> InputKind.ofSpentScript(coin.output().script()))
                .toList();
    }

    /**
     * Verifies signatures and remembers the good ones, so that a transaction is not verified again when it is mined, nor the same signature
     * for each input of one owner. Thread-safe; the verification itself holds no lock.
     */
    static final class SignatureCache {
        private static final int REMEMBERED = 65_536;

        private final Set<Hash256> good = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Hash256, Boolean> eldest) {
                return size() > REMEMBERED;
            }
        }));

        boolean verify(byte[] publicKey, byte[] message, byte[] signature) {
            Hash256 name = Hash256.sha256(publicKey, signature, message);
            if (good.contains(name)) {
                return true;
            }
            boolean valid = StrictSignatures.verify(publicKey, message, signature);
            if (valid) {
                good.add(name);
            }
            return valid;
        }
    }

    /**
     * The two arms of the HTLC, evaluated in the order in which the program reads its witness, so that every failure has the reason that a
     * node reports (chain protocol, sections 6.3 to 6.5).
     */
    private static final class HtlcProgram {
        private HtlcProgram() {}

        /** Checks a signature over the signing message of the spending transaction. */
        @FunctionalInterface
        interface SignatureCheck {
            boolean verify(byte[] publicKey, byte[] signature);
        }

        /**
         * @param height of the block that would contain the spend
         * @throws ScriptFailure when the spend is not valid
         */
        static void run(HtlcParams params, TxOutput spent, Witness witness, long height, SignatureCheck signatures)
                throws ScriptFailure {
            resolveDatum(spent, witness);
            WitnessValues values = new WitnessValues(witness.data());
            boolean result =
                    values.selector() ? reclaim(params, values, height, signatures) : claim(params, values, signatures);
            values.end();
            if (!result) {
                throw ScriptFailure.returnedFalse();
            }
        }

        private static boolean claim(HtlcParams params, WitnessValues values, SignatureCheck signatures)
                throws ScriptFailure {
            if (!Hash256.sha256(values.bytes()).equals(params.hashLock())) {
                return false;
            }
            return signatures.verify(params.receiver().toArray(), values.bytes());
        }

        private static boolean reclaim(HtlcParams params, WitnessValues values, long height, SignatureCheck signatures)
                throws ScriptFailure {
            if (!params.reclaimableInBlock(height)) {
                return false;
            }
            return signatures.verify(params.sender().toArray(), values.bytes());
        }

        /** An output that carries only the hash of its datum must be given the datum as redeemer. */
        private static void resolveDatum(TxOutput spent, Witness witness) throws ScriptFailure {
            if (spent.datumHash() == null || spent.datum() != null) {
                return;
            }
            if (witness.redeemer() == null) {
                throw ScriptFailure.datum("datum required: output has datum_hash but no datum provided");
            }
            if (witness.redeemer().length() > ChainProfile.MAX_DATUM_BYTES) {
                throw ScriptFailure.datum("hash-committed datum exceeds MAX_DATUM_SIZE ("
                        + witness.redeemer().length() + " > " + ChainProfile.MAX_DATUM_BYTES + ")");
            }
            if (!Hash256.sha256(witness.redeemer().toArray()).equals(spent.datumHash())) {
                throw ScriptFailure.datum("datum hash mismatch");
            }
        }

        /** Reads the values that a witness supplies, in evaluation order (chain protocol, sections 6.2 and 6.3). */
        static final class WitnessValues {
            private static final int TAG_UNIT = 0x00;
            private static final int TAG_LEFT = 0x01;
            private static final int TAG_RIGHT = 0x02;
            private static final int TAG_BYTES = 0x05;
            private static final int TAG_BOOL = 0x08;
            private static final String[] TYPE_NAMES = {
                "Unit", "Left", "Right", "Pair", "List", "Bytes", "U64", "U256", "Bool", "Hash"
            };

            private final byte[] data;
            private int position;

            WitnessValues(Bytes data) {
                this.data = data.toArray();
            }

            /** A selector in either encoding: Left(Unit) or false give false, Right(Unit) or true give true. */
            boolean selector() throws ScriptFailure {
                int tag = u8();
                switch (tag) {
                    case TAG_LEFT, TAG_RIGHT -> {
                        int inner = u8();
                        if (inner != TAG_UNIT) {
                            throw mismatch("Sum(Unit, Unit)", TYPE_NAMES[tag] + "(" + typeName(inner) + ")");
                        }
                        return tag == TAG_RIGHT;
                    }
                    case TAG_BOOL -> {
                        int value = u8();
                        if (value > 1) {
                            throw ScriptFailure.witness("invalid bool byte: " + value);
                        }
                        return value == 1;
                    }
                    default -> throw mismatch("Sum(Unit, Unit)", typeName(tag));
                }
            }

            byte[] bytes() throws ScriptFailure {
                int tag = u8();
                if (tag != TAG_BYTES) {
                    throw mismatch("Bytes", typeName(tag));
                }
                long length = u8() | u8() << 8 | u8() << 16 | (long) u8() << 24;
                if (length > data.length - position) {
                    throw unexpectedEnd();
                }
                int from = position;
                position += (int) length;
                return Arrays.copyOfRange(data, from, position);
            }

            /** Fails unless everything was consumed. */
            void end() throws ScriptFailure {
                if (position < data.length) {
                    throw ScriptFailure.witness(
                            "unconsumed witness bytes: " + position + " of " + data.length + " consumed");
                }
            }

            private int u8() throws ScriptFailure {
                if (position == data.length) {
                    throw unexpectedEnd();
                }
                return data[position++] & 0xff;
            }

            private static ScriptFailure unexpectedEnd() {
                return ScriptFailure.witness("unexpected end of witness data");
            }

            private static ScriptFailure mismatch(String expected, String got) {
                return ScriptFailure.witness("witness type mismatch: expected " + expected + ", got " + got);
            }

            private static String typeName(int tag) {
                return tag < TYPE_NAMES.length ? TYPE_NAMES[tag] : "unknown tag " + tag;
            }
        }

        /** An HTLC program did not end in true; the message is a node's error text (chain protocol, section 10.4). */
        static final class ScriptFailure extends Exception {
            private static final long serialVersionUID = 1L;

            private ScriptFailure(String message) {
                super(message, null, false, false);
            }

            static ScriptFailure witness(String detail) {
                return new ScriptFailure("script evaluation failed: WitnessError(\"" + detail + "\")");
            }

            static ScriptFailure datum(String detail) {
                return new ScriptFailure("datum resolution failed: " + detail);
            }

            static ScriptFailure returnedFalse() {
                return new ScriptFailure("script returned Bool(false) (expected Bool(true) or Right(Unit))");
            }

            static ScriptFailure budget(long steps, long budget) {
                return new ScriptFailure("total script cost " + steps + " exceeds per-transaction budget " + budget);
            }
        }
    }

    /** Pieces of a node's error texts that carry its internal type names. */
    static final class Texts {
        private Texts() {}

        static String of(Outpoint outpoint) {
            return "OutPoint { tx_id: Hash256(" + outpoint.txId() + "), output_index: " + outpoint.index() + " }";
        }
    }
}
