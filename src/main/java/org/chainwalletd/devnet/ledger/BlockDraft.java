package org.chainwalletd.devnet.ledger;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.StateTree;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;

/**
 * The transactions of one block in the making, applied to a view over the unspent outputs that leaves those untouched (chain protocol,
 * section 9.7).
 */
final class BlockDraft {
    private final ChainProfile profile;
    private final Validator validator;
    private final CoinSet coins;
    private final long height;

    private final List<Transaction> transactions = new ArrayList<>();
    private final Set<Hash256> txIds = new LinkedHashSet<>();
    private final Map<Outpoint, Coin> created = new HashMap<>();
    private final Set<Outpoint> consumed = new HashSet<>();
    private final List<Coin> spent = new ArrayList<>();
    private Amount fees = Amount.ZERO;

    BlockDraft(ChainProfile profile, Validator validator, CoinSet coins, long height) {
        this.profile = profile;
        this.validator = validator;
        this.coins = coins;
        this.height = height;
    }

    long height() {
        return height;
    }

    Amount fees() {
        return fees;
    }

    /** Puts the coinbase in front of everything else. */
    void addCoinbase(Transaction coinbase) {
        Hash256 txId = TransactionCodec.txId(profile, coinbase);
        transactions.add(0, coinbase);
        List<Hash256> others = List.copyOf(txIds);
        txIds.clear();
        txIds.add(txId);
        txIds.addAll(others);
        create(txId, coinbase, true);
    }

    /**
     * Validates and appends a transaction.
     *
     * @throws RejectedException when it is not valid here; the draft is unchanged
     */
    void add(Transaction tx) {
        Validator.Verdict verdict = validator.validate(tx, this::find, height);
        Hash256 txId = TransactionCodec.txId(profile, tx);
        if (txIds.contains(txId)) {
            throw new RejectedException("transaction " + txId + " twice in a block");
        }
        append(txId, tx, verdict.spent());
        fees = fees.plus(verdict.fee());
    }

    /**
     * Appends a transaction that was validated when its block was written.
     *
     * @throws IllegalStateException when it spends what is not there
     */
    void addTrusted(Transaction tx) {
        List<Coin> consumes = new ArrayList<>(tx.inputs().size());
        for (Outpoint input : tx.inputs()) {
            Coin coin = find(input);
            if (coin == null) {
                throw new IllegalStateException("block not valid: no output " + input);
            }
            consumes.add(coin);
        }
        append(TransactionCodec.txId(profile, tx), tx, consumes);
        for (Coin coin : consumes) {
            fees = fees.plus(coin.output().value());
        }
        for (TxOutput output : tx.outputs()) {
            fees = fees.minus(output.value());
        }
    }

    private void append(Hash256 txId, Transaction tx, List<Coin> consumes) {
        transactions.add(tx);
        txIds.add(txId);
        spent.addAll(consumes);
        consumed.addAll(tx.inputs());
        create(txId, tx, false);
    }

    private void create(Hash256 txId, Transaction tx, boolean coinbase) {
        for (int i = 0; i < tx.outputs().size(); i++) {
            Outpoint outpoint = new Outpoint(txId, i);
            created.put(outpoint, new Coin(outpoint, tx.outputs().get(i), height, coinbase));
        }
    }

    private Coin find(Outpoint outpoint) {
        if (consumed.contains(outpoint)) {
            return null;
        }
        Coin coin = created.get(outpoint);
        return coin != null ? coin : coins.get(outpoint);
    }

    List<Transaction> transactions() {
        return transactions;
    }

    /** The state tree after this block, given the one before it. */
    StateTree stateAfter(StateTree before) {
        StateTree state = before;
        for (Coin coin : created.values()) {
            if (!consumed.contains(coin.outpoint())) {
                state = insert(profile, state, coin);
            }
        }
        for (Coin coin : spent) {
            if (!created.containsKey(coin.outpoint())) {
                state = state.remove(StateTree.key(profile, coin.outpoint()));
            }
        }
        return state;
    }

    static StateTree insert(ChainProfile profile, StateTree state, Coin coin) {
        return state.insert(
                StateTree.key(profile, coin.outpoint()), StateTree.leaf(coin.output(), coin.height(), coin.coinbase()));
    }

    ConnectedBlock finish(Block block) {
        return new ConnectedBlock(block, block.id(), List.copyOf(txIds), List.copyOf(spent));
    }

    /** The unspent outputs of the best chain, by outpoint and by script; a script's outputs come in the order of their outpoints. */
    static final class CoinSet {
        private final Map<Outpoint, Coin> coins = new HashMap<>();
        private final Map<Bytes, NavigableMap<Outpoint, Coin>> byScript = new HashMap<>();

        Coin get(Outpoint outpoint) {
            return coins.get(outpoint);
        }

        NavigableMap<Outpoint, Coin> ofScript(Bytes script) {
            return byScript.getOrDefault(script, Collections.emptyNavigableMap());
        }

        void add(Coin coin) {
            if (coins.putIfAbsent(coin.outpoint(), coin) != null) {
                throw new IllegalStateException("output exists already: " + coin.outpoint());
            }
            byScript.computeIfAbsent(coin.output().script(), script -> new TreeMap<>())
                    .put(coin.outpoint(), coin);
        }

        Coin remove(Outpoint outpoint) {
            Coin coin = coins.remove(outpoint);
            if (coin == null) {
                throw new IllegalStateException("no such output: " + outpoint);
            }
            byScript.computeIfPresent(coin.output().script(), (script, listed) -> {
                listed.remove(outpoint);
                return listed.isEmpty() ? null : listed;
            });
            return coin;
        }
    }
}
