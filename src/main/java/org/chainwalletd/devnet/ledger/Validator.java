package org.chainwalletd.devnet.ledger;

import java.math.BigInteger;
import java.util.ArrayList;
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
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcSpend;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.InputKind;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.ScriptProgram;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
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

    /** Nothing for a witness that cannot spend: it fails on its own. */
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
     * for each input of one owner. Safe for threads; the verification itself holds no lock.
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
}
