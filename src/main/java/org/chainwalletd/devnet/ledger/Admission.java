package org.chainwalletd.devnet.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;

/**
 * What comes into the mempool, what stays there when the tip moves, and what the next block takes of it. Belongs to the {@link Ledger} and is
 * used under its lock, but for {@link #validated}.
 */
final class Admission {
    private final ChainProfile profile;
    private final Validator validator;
    private final ChainState chain;
    private final Mempool mempool;
    /** What was pending when the tip moved last: the block that is being worked on was put together then. */
    private Set<Hash256> assembled = Set.of();

    Admission(ChainProfile profile, Validator validator, ChainState chain, Mempool mempool) {
        this.profile = profile;
        this.validator = validator;
        this.chain = chain;
        this.mempool = mempool;
    }

    /** @throws RejectedException for what needs no look at the transaction's inputs on the chain */
    void precheck(Hash256 txId, Transaction tx) {
        if (mempool.get(txId) != null) {
            throw new RejectedException("Mempool pre-check failed: transaction already in mempool");
        }
        if (BlockRules.isCoinbase(tx)) {
            throw new RejectedException("Mempool pre-check failed: coinbase transactions not allowed");
        }
        for (Outpoint input : tx.inputs()) {
            if (mempool.spends(input)) {
                throw new RejectedException("Mempool pre-check failed: double-spend of " + Texts.of(input));
            }
        }
    }

    /**
     * Takes long, and needs no lock but that of {@code coins}.
     *
     * @throws RejectedException in a node's words
     */
    Validator.Verdict validated(Transaction tx, Function<Outpoint, Coin> coins, long height) {
        try {
            return validator.validate(tx, coins, height);
        } catch (RejectedException e) {
            throw new RejectedException("Transaction validation failed: " + e.getMessage());
        }
    }

    /** On top of the tip as it is. */
    Validator.Verdict validated(Transaction tx) {
        return validated(tx, chain.coins()::get, nextHeight());
    }

    /** @throws RejectedException when another one has come first */
    void insert(Hash256 txId, Transaction tx, Validator.Verdict verdict, Touched touched) {
        if (mempool.get(txId) != null) {
            throw new RejectedException("Mempool rejected transaction: transaction already in mempool");
        }
        for (Outpoint input : tx.inputs()) {
            if (mempool.spends(input)) {
                throw new RejectedException("Mempool rejected transaction: double-spend of " + Texts.of(input));
            }
        }
        admit(Mempool.Entry.of(txId, tx, verdict), touched);
    }

    private void admit(Mempool.Entry entry, Touched touched) {
        List<Mempool.Entry> evicted = mempool.add(entry);
        touched.by(entry.touches());
        evicted.forEach(out -> touched.by(out.touches()));
    }

    /**
     * Puts into {@code draft} what a miner takes, in its order; what fits no more is dropped.
     *
     * @param prompt whether it takes also what came since the block was begun
     */
    void fill(BlockDraft draft, boolean prompt, Touched touched) {
        long room = ChainProfile.MAX_BLOCK_BYTES - Miner.RESERVED_BLOCK_BYTES;
        for (Mempool.Entry entry : mempool.bestFirst()) {
            if (entry.size() > room || !prompt && !assembled.contains(entry.txId())) {
                continue;
            }
            try {
                draft.add(entry.tx());
                room -= entry.size();
            } catch (RejectedException e) {
                drop(entry, touched);
            }
        }
    }

    /** Lets the next block take this one, whenever it came. */
    void prefer(Hash256 txId) {
        Set<Hash256> more = new HashSet<>(assembled);
        more.add(txId);
        assembled = more;
    }

    /** The next block is put together of what is pending now. */
    void assemble() {
        assembled = mempool.ids();
    }

    /** After the tip moved: removes what is confirmed or in conflict, validates the rest again at the new height. */
    void settle(Touched touched) {
        for (Mempool.Entry entry : List.copyOf(mempool.all())) {
            try {
                validator.validate(entry.tx(), chain.coins()::get, nextHeight());
            } catch (RejectedException e) {
                drop(entry, touched);
            }
        }
    }

    /** One of a block that has gone, if it is still valid. */
    void putBack(Transaction tx, Touched touched) {
        Hash256 txId = TransactionCodec.txId(profile, tx);
        if (mempool.get(txId) != null || tx.inputs().stream().anyMatch(mempool::spends)) {
            return;
        }
        try {
            admit(Mempool.Entry.of(txId, tx, validator.validate(tx, chain.coins()::get, nextHeight())), touched);
        } catch (RejectedException e) {
            return;
        }
    }

    void dropAll(Touched touched) {
        List.copyOf(mempool.all()).forEach(entry -> drop(entry, touched));
    }

    private void drop(Mempool.Entry entry, Touched touched) {
        mempool.remove(entry);
        touched.by(entry.touches());
    }

    private long nextHeight() {
        return chain.tip().height() + 1;
    }

    /** Addresses about which one change of the ledger says something. */
    static final class Touched {
        private final List<Address> addresses = new ArrayList<>();

        /** Scripts that are no address are nobody's. */
        void by(Collection<Bytes> scripts) {
            for (Bytes script : scripts) {
                if (script.length() == Address.LENGTH) {
                    addresses.add(Address.of(script.toArray()));
                }
            }
        }

        List<Address> addresses() {
            return addresses;
        }
    }
}
