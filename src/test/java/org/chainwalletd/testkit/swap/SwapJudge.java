package org.chainwalletd.testkit.swap;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmBlock;
import org.chainwalletd.testkit.evm.EvmReceipt;
import org.chainwalletd.testkit.evm.SignedTransaction;

/**
 * Watches one swap from above: both chains and both mempools as they really are, whatever an endpoint says. Must look after each event, before
 * the next one.
 */
public final class SwapJudge {
    /** Blocks that are read again each time, deeper than any reorganisation of a history. */
    private static final int LOOK_BACK = 60;

    private static final BigInteger MOST_CHAIN_FEES = BigInteger.valueOf(5_000_000);
    private static final BigInteger MOST_GAS = BigInteger.TEN.pow(16);

    private final TwoChains world;
    private final Trader.Deal deal;
    private final Margins margins;
    private final BigInteger coinsBefore;
    private final BigInteger weiBefore;
    private final Set<String> complaints = new LinkedHashSet<>();
    private final Set<Hash256> ownLocks = new HashSet<>();
    private final Set<Long> lockNonces = new HashSet<>();
    private final Map<Outpoint, Seen> seen = new HashMap<>();
    private boolean revealed;
    private boolean wasOpen;
    private boolean refundWasDue;

    /** An output with the hash lock of the deal. */
    private record Seen(HtlcParams params, TxOutput output) {}

    /**
     * What must hold when the secret leaves.
     *
     * @param depth of the pool's lock on the chain
     * @param blocks left on it
     * @param seconds left on the pool's lock in the contract
     */
    public record Margins(long depth, long blocks, long seconds) {}

    /** Takes the money that the trader has at this moment, before it locks, for what it began with. */
    public SwapJudge(TwoChains world, Trader.Deal deal, Margins margins, BigInteger coinsBefore, BigInteger weiBefore) {
        this.world = world;
        this.deal = deal;
        this.margins = margins;
        this.coinsBefore = coinsBefore;
        this.weiBefore = weiBefore;
    }

    /** What was wrong so far. */
    public List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Looks at everything; {@code after} names the event for the complaint. */
    public void look(String after) {
        readChain();
        readContract(after);
        boolean open = deal.sell() ? contractLockIsGood() : chainLockIsGood();
        if (!revealed && secretIsOut()) {
            revealed = true;
            // A decision that was right before the event may reach the chain after it.
            complainUnless(open || wasOpen, "the secret left although the gate was shut, after " + after);
        }
        wasOpen = open;
        complainUnless(ownLocks.size() <= 1, "two locks on the chain, after " + after + ": " + ownLocks);
        complainUnless(lockNonces.size() <= 1, "locks with two nonces, after " + after + ": " + lockNonces);
    }

    private void complainUnless(boolean right, String complaint) {
        if (!right) {
            complaints.add(complaint);
        }
    }

    private void readChain() {
        Ledger ledger = world.chain().ledger();
        long tip = ledger.tip().height();
        for (long height = Math.max(0, tip - LOOK_BACK); height <= tip; height++) {
            Optional<ConnectedBlock> block = ledger.blockAt(height);
            block.ifPresent(found -> found.block().transactions().forEach(this::note));
        }
        pending(Bytes.wrap(deal.address().toArray())).forEach(this::note);
    }

    private List<Transaction> pending(Bytes script) {
        return world.chain().ledger().pendingOf(script).transactions().stream()
                .map(LedgerView.Pending::tx)
                .toList();
    }

    private void note(Transaction tx) {
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            Optional<HtlcParams> params = HtlcScript.recognise(output.script())
                    .filter(found -> found.hashLock().equals(deal.hashLock()));
            if (params.isPresent()) {
                Hash256 id = TransactionCodec.txId(world.chain().ledger().profile(), tx);
                seen.put(new Outpoint(id, i), new Seen(params.get(), output));
                if (params.get().sender().equals(deal.key())) {
                    ownLocks.add(id);
                }
            }
        }
    }

    private void readContract(String after) {
        Bytes refund = SwapContract.refund(deal.hashLock());
        for (SignedTransaction tx : evmTransactions()) {
            if (tx.from().equals(deal.evmAddress()) && isLock(tx)) {
                lockNonces.add(tx.nonce());
            }
        }
        boolean refunds = world.evm().waiting().stream()
                .anyMatch(tx -> tx.from().equals(deal.evmAddress()) && tx.data().equals(refund));
        SwapContract.Swap lock = world.evm().swap(deal.hashLock());
        boolean due = lock.state() != SwapContract.State.NONE
                && Long.compareUnsigned(world.evm().head().time(), lock.deadline()) >= 0;
        complainUnless(!refunds || due || refundWasDue, "a refund before it was due, after " + after);
        refundWasDue = due;
    }

    private boolean isLock(SignedTransaction tx) {
        Bytes call = SwapContract.lock(deal.hashLock(), deal.evmAddress(), 0);
        return tx.data().length() == call.length()
                && Bytes.wrap(tx.data().slice(0, 36)).equals(Bytes.wrap(call.slice(0, 36)));
    }

    private List<SignedTransaction> evmTransactions() {
        List<SignedTransaction> all = new ArrayList<>(world.evm().waiting());
        long tip = world.evm().head().number();
        for (long number = Math.max(0, tip - LOOK_BACK); number <= tip; number++) {
            world.evm()
                    .block(number)
                    .map(EvmBlock::receipts)
                    .ifPresent(receipts -> receipts.stream().map(EvmReceipt::tx).forEach(all::add));
        }
        return all;
    }

    private boolean secretIsOut() {
        Bytes claim = SwapContract.claim(new byte[Hash256.LENGTH]);
        boolean inContract = evmTransactions().stream()
                .map(SignedTransaction::data)
                .filter(data -> data.length() == claim.length())
                .anyMatch(data -> Hash256.sha256(data.slice(4, data.length())).equals(deal.hashLock()));
        return inContract || seen.keySet().stream().anyMatch(lock -> spend(lock) instanceof HtlcSpend.Claim);
    }

    /** How an output was or is about to be spent; null when it is not. */
    private HtlcSpend spend(Outpoint lock) {
        Ledger ledger = world.chain().ledger();
        Optional<Transaction> confirmed = ledger.spentBy(lock)
                .flatMap(spent -> ledger.transaction(spent.txId()))
                .map(LedgerView.Located::tx);
        List<Transaction> all = new ArrayList<>(pending(seen.get(lock).output().script()));
        confirmed.ifPresent(all::add);
        return all.stream()
                .filter(tx -> tx.inputs().contains(lock))
                .map(tx -> tx.witnesses().get(tx.inputs().indexOf(lock)))
                .map(SwapJudge::shown)
                .findFirst()
                .orElse(null);
    }

    private static HtlcSpend shown(Witness witness) {
        return HtlcWitness.classify(witness).orElseThrow();
    }

    private boolean contractLockIsGood() {
        long tip = world.evm().head().number();
        SwapContract.Swap latest = world.evm().swap(deal.hashLock());
        SwapContract.Swap finalized = world.evm().finalizedSwap(deal.hashLock());
        long now = Math.max(
                world.clock().instant().getEpochSecond(),
                world.evm().block(tip).orElseThrow().time());
        return paysTrader(latest) && paysTrader(finalized) && latest.deadline() - now >= margins.seconds();
    }

    private boolean paysTrader(SwapContract.Swap swap) {
        return swap.state() == SwapContract.State.LOCKED
                && swap.recipient().equals(deal.evmAddress())
                && swap.amount().compareTo(deal.out()) >= 0;
    }

    private boolean chainLockIsGood() {
        Ledger ledger = world.chain().ledger();
        long tip = ledger.tip().height();
        return seen.entrySet().stream().anyMatch(entry -> {
            Seen lock = entry.getValue();
            boolean deep = ledger.transaction(entry.getKey().txId())
                    .filter(located -> located.blockId() != null)
                    .map(located -> tip - located.height() + 1 >= margins.depth())
                    .orElse(false);
            return deep
                    && lock.params().receiver().equals(deal.key())
                    && lock.output().value().toBigInteger().compareTo(deal.out()) >= 0
                    && lock.output().datum() == null
                    && lock.output().datumHash() == null
                    && lock.params().timeoutHeight() - tip >= margins.blocks();
        });
    }

    /** After everybody had all the time that there is: who has what. */
    public void judge() {
        SwapContract.Swap contract = world.evm().swap(deal.hashLock());
        Optional<Outpoint> own = seen.keySet().stream()
                .filter(lock -> ownLocks.contains(lock.txId())
                        && world.chain().ledger().transaction(lock.txId()).isPresent())
                .findFirst();
        boolean given;
        boolean got;
        if (deal.sell()) {
            HtlcSpend spend = own.map(this::spend).orElse(null);
            complainUnless(own.isEmpty() || spend != null, "the trader's lock on the chain was left lying");
            given = spend instanceof HtlcSpend.Claim;
            got = contract.state() == SwapContract.State.CLAIMED
                    && contract.recipient().equals(deal.evmAddress());
        } else {
            boolean ours = contract.sender().equals(deal.evmAddress());
            complainUnless(
                    !ours || contract.state() != SwapContract.State.LOCKED,
                    "the trader's lock in the contract was left lying");
            given = ours && contract.state() == SwapContract.State.CLAIMED;
            got = seen.entrySet().stream()
                    .filter(entry -> entry.getValue().params().receiver().equals(deal.key()))
                    .anyMatch(entry -> spend(entry.getKey()) instanceof HtlcSpend.Claim);
        }
        complainUnless(!given || got, "both legs are lost");
        complainUnless(!got || revealed, "paid without a secret");
        judgeMoney(given, got);
    }

    private void judgeMoney(boolean given, boolean got) {
        BigInteger paid = given ? deal.in() : BigInteger.ZERO;
        BigInteger earned = got ? deal.out() : BigInteger.ZERO;
        BigInteger coins = coins(world, deal.address()).subtract(coinsBefore);
        BigInteger wei = world.evm().balance(deal.evmAddress()).subtract(weiBefore);
        BigInteger coinsDue = deal.sell() ? paid.negate() : earned;
        BigInteger weiDue = deal.sell() ? earned : paid.negate();
        complainUnless(
                coins.add(MOST_CHAIN_FEES).compareTo(coinsDue) >= 0, "coins: " + coins + " instead of " + coinsDue);
        complainUnless(wei.add(MOST_GAS).compareTo(weiDue) >= 0, "wei: " + wei + " instead of " + weiDue);
    }

    /** What an address owns on the chain. */
    public static BigInteger coins(TwoChains world, Address address) {
        return world.chain().ledger().list(Bytes.wrap(address.toArray()), null, null, 10_000).coins().stream()
                .map(coin -> coin.output().value().toBigInteger())
                .reduce(BigInteger.ZERO, BigInteger::add);
    }
}
