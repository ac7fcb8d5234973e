package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmBlock;
import org.chainwalletd.testkit.evm.EvmReceipt;

/**
 * Adds up the money of both chains, from the bytes of every block: our balance is the initial one, minus what the pool was paid, plus what it paid
 * us, minus fees; and nothing appears or vanishes on either chain.
 */
public final class SwapMoney {
    /** Maximum fee of one act on the chain: a hundred times the minimum, doubled with each further version. */
    private static final BigInteger MOST_FEE = BigInteger.valueOf(30_000_000);

    /** Number of newest blocks that are still empty and may be replaced by others that are not. */
    private static final int REPLACED = 4;

    private final TwoChains chains;
    private final Party ours;
    private final EvmAddress ourEvm;
    private final BigInteger coinsBefore;
    private final BigInteger weiBefore;
    private final BigInteger allWeiBefore;
    private final long evmFrom;
    private final long chainFrom;
    private final List<String> wrong = new ArrayList<>();

    /** Records all initial balances, before anything is locked. */
    SwapMoney(TwoChains chains, Party ours, EvmAddress ourEvm) {
        this.chains = chains;
        this.ours = ours;
        this.ourEvm = ourEvm;
        coinsBefore = coins();
        weiBefore = chains.evm().balance(ourEvm);
        allWeiBefore = chains.evm().total();
        evmFrom = chains.evm().head().number() - REPLACED;
        chainFrom = ledger().tip().height() - REPLACED;
    }

    private Ledger ledger() {
        return chains.chain().ledger();
    }

    private Bytes ourScript() {
        return Bytes.wrap(ours.address.toArray());
    }

    private BigInteger coins() {
        return ledger().list(ourScript(), null, null, 10_000).coins().stream()
                .map(coin -> coin.output().value().toBigInteger())
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Returns the discrepancies. */
    List<String> wrong() {
        wrong.clear();
        chain();
        contract();
        return List.copyOf(wrong);
    }

    private void requireEqual(String what, BigInteger is, BigInteger due) {
        if (!is.equals(due)) {
            wrong.add(what + ": " + is + " instead of " + due);
        }
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            wrong.add(what);
        }
    }

    /** Totals of our money in the blocks since the beginning. */
    private static final class Sums {
        private BigInteger gained = BigInteger.ZERO;
        private BigInteger paid = BigInteger.ZERO;
        private BigInteger locked = BigInteger.ZERO;
        private BigInteger fees = BigInteger.ZERO;
    }

    private void chain() {
        Map<Outpoint, TxOutput> outputs = new HashMap<>();
        Sums sums = new Sums();
        for (long height = 0; height <= ledger().tip().height(); height++) {
            ConnectedBlock block = ledger().blockAt(height).orElseThrow();
            BigInteger made = BigInteger.ZERO;
            BigInteger consumed = BigInteger.ZERO;
            for (int i = 0; i < block.txIds().size(); i++) {
                Transaction tx = block.block().transactions().get(i);
                if (i > 0) {
                    made = made.add(value(tx.outputs()));
                    consumed = consumed.add(value(spent(tx, outputs)));
                    if (height > chainFrom) {
                        count(tx, outputs, sums);
                    }
                }
                for (int index = 0; index < tx.outputs().size(); index++) {
                    outputs.put(
                            new Outpoint(block.txIds().get(i), index),
                            tx.outputs().get(index));
                }
            }
            require(made.compareTo(consumed) <= 0, "coins appear in block " + height);
        }
        outputs.forEach((outpoint, output) -> {
            boolean stands = ledger().spentBy(outpoint).isEmpty();
            if (stands && lockOf(output).filter(this::isFromUs).isPresent()) {
                sums.locked = sums.locked.add(output.value().toBigInteger());
            }
        });
        requireEqual("coins that stay locked", sums.locked, BigInteger.ZERO);
        requireEqual(
                "our coins",
                coins(),
                coinsBefore
                        .add(sums.gained)
                        .subtract(sums.paid)
                        .subtract(sums.locked)
                        .subtract(sums.fees));
    }

    private static BigInteger value(List<TxOutput> outputs) {
        return outputs.stream().map(output -> output.value().toBigInteger()).reduce(BigInteger.ZERO, BigInteger::add);
    }

    private static List<TxOutput> spent(Transaction tx, Map<Outpoint, TxOutput> outputs) {
        return tx.inputs().stream().map(outputs::get).toList();
    }

    private static Optional<HtlcParams> lockOf(TxOutput output) {
        return HtlcScript.recognise(output.script());
    }

    private boolean isFromUs(HtlcParams lock) {
        return lock.sender().equals(ours.key);
    }

    private boolean isOurs(TxOutput output) {
        return output.script().equals(ourScript());
    }

    private void count(Transaction tx, Map<Outpoint, TxOutput> outputs, Sums sums) {
        boolean byUs = false;
        for (int i = 0; i < tx.inputs().size(); i++) {
            TxOutput spent = outputs.get(tx.inputs().get(i));
            BigInteger value = spent.value().toBigInteger();
            Optional<HtlcParams> lock = lockOf(spent);
            boolean isClaim = lock.isPresent()
                    && HtlcWitness.classify(tx.witnesses().get(i))
                            .filter(HtlcSpend.Claim.class::isInstance)
                            .isPresent();
            if (isClaim && lock.get().receiver().equals(ours.key)) {
                sums.gained = sums.gained.add(value);
                byUs = true;
            } else if (isClaim && isFromUs(lock.get())) {
                sums.paid = sums.paid.add(value);
            } else if (isOurs(spent) || lock.filter(this::isFromUs).isPresent()) {
                byUs = true;
            }
        }
        if (byUs) {
            BigInteger fee = value(spent(tx, outputs)).subtract(value(tx.outputs()));
            sums.fees = sums.fees.add(fee);
            require(fee.compareTo(MOST_FEE) <= 0, "a fee of " + fee + " for " + tx);
            tx.outputs()
                    .forEach(output -> require(
                            isOurs(output)
                                    || lockOf(output).filter(this::isFromUs).isPresent(),
                            "our coins go to a stranger: " + tx));
        }
    }

    private void contract() {
        BigInteger gas = BigInteger.ZERO;
        BigInteger ourGas = BigInteger.ZERO;
        BigInteger gained = BigInteger.ZERO;
        BigInteger paid = BigInteger.ZERO;
        BigInteger locked = BigInteger.ZERO;
        BigInteger held = BigInteger.ZERO;
        for (long number = evmFrom + 1; number <= chains.evm().head().number(); number++) {
            EvmBlock block = chains.evm().block(number).orElseThrow();
            for (EvmReceipt receipt : block.receipts()) {
                BigInteger cost = receipt.gasPrice().multiply(BigInteger.valueOf(receipt.gasUsed()));
                gas = gas.add(cost);
                if (receipt.tx().from().equals(ourEvm)) {
                    ourGas = ourGas.add(cost);
                }
                Optional<SwapContract.Swap> slot = lockedBy(receipt);
                if (slot.isEmpty()) {
                    continue;
                }
                BigInteger amount = slot.get().amount();
                SwapContract.State state = slot.get().state();
                if (state == SwapContract.State.LOCKED) {
                    held = held.add(amount);
                }
                if (slot.get().sender().equals(ourEvm)) {
                    paid = state == SwapContract.State.CLAIMED ? paid.add(amount) : paid;
                    locked = state == SwapContract.State.LOCKED ? locked.add(amount) : locked;
                } else if (slot.get().recipient().equals(ourEvm) && state == SwapContract.State.CLAIMED) {
                    gained = gained.add(amount);
                }
            }
        }
        requireEqual("wei that stay locked", locked, BigInteger.ZERO);
        requireEqual(
                "our wei",
                chains.evm().balance(ourEvm),
                weiBefore.add(gained).subtract(paid).subtract(locked).subtract(ourGas));
        requireEqual("all wei", chains.evm().total(), allWeiBefore.subtract(gas));
        requireEqual("wei in the contract", chains.evm().balance(chains.evm().contract()), held);
    }

    /** Returns the current slot of the lock that a transaction made. */
    private Optional<SwapContract.Swap> lockedBy(EvmReceipt receipt) {
        int length = SwapContract.lock(Hash256.ZERO, ourEvm, 0).length();
        boolean isLock = receipt.succeeded() && receipt.tx().data().length() == length;
        return isLock
                ? Optional.of(chains.evm().swap(Hash256.of(receipt.tx().data().slice(4, 4 + Hash256.LENGTH))))
                : Optional.empty();
    }
}
