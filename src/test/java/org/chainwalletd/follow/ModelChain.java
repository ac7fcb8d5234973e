package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.DomainTag;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.testkit.Seeded;

/**
 * Generates random blocks on any number of branches, with payments and HTLCs of a few keys and of foreign ones. Blocks pass all checks of a
 * follower except that of work; signatures are not checked.
 */
final class ModelChain {
    static final ChainProfile PROFILE = ChainProfile.of("chain");

    /** Number of keys that make payments; the daemon owns some of them. */
    static final int KEYS = 6;

    private static final long GENESIS_TIME = 1_700_000_000;
    private static final byte[] NO_SIGNATURE = new byte[64];

    private final Random random;
    private final List<PublicKey> keys = new ArrayList<>();
    private final Map<Hash256, Transaction> transactions = new ConcurrentHashMap<>();
    /** Outpoints created on any branch: a transaction that spends one is valid only on branches that have it. */
    private final Set<Outpoint> made = new HashSet<>();

    private final Map<Hash256, byte[]> secrets = new HashMap<>();

    private final ModelBlock genesis;
    private long salt;

    ModelChain(Random random) {
        this.random = random;
        for (int i = 0; i < KEYS; i++) {
            keys.add(PublicKey.of(Seeded.bytes(random, PublicKey.LENGTH)));
        }
        this.genesis = seal(new Draft(null));
    }

    ModelBlock genesis() {
        return genesis;
    }

    Address address(int key) {
        return PROFILE.addressOf(keys.get(key));
    }

    /** Returns a transaction of any branch. */
    Optional<Transaction> transaction(Hash256 id) {
        return Optional.ofNullable(transactions.get(id));
    }

    /** Adds empty blocks. */
    ModelBlock grown(ModelBlock from, int blocks) {
        ModelBlock top = from;
        for (int i = 0; i < blocks; i++) {
            top = grow(top, List.of());
        }
        return top;
    }

    /** Creates a block on top of {@code parent}, with new transactions and those of {@code again} that are valid there. */
    ModelBlock grow(ModelBlock parent, List<Transaction> again) {
        Draft draft = new Draft(parent);
        again.stream().filter(tx -> random.nextInt(3) > 0).forEach(draft::addIfItFits);
        int fresh = random.nextInt(4);
        for (int i = 0; i < fresh; i++) {
            draft.addIfItFits(transaction(draft));
        }
        return seal(draft);
    }

    private ModelBlock seal(Draft draft) {
        List<ChainTransaction> mined = new ArrayList<>();
        List<Hash256> leaves = new ArrayList<>();
        for (Transaction tx : draft.list) {
            Hash256 id = TransactionCodec.txId(PROFILE, tx);
            transactions.putIfAbsent(id, tx);
            mined.add(new ChainTransaction(id, Optional.of(tx), mined.isEmpty()));
            leaves.add(PROFILE.hash(DomainTag.WTXID, TransactionCodec.encode(tx)));
        }
        BlockHeader header = new BlockHeader(
                BlockHeader.VERSION,
                draft.height,
                draft.parent == null ? Hash256.ZERO : draft.parent.id(),
                GENESIS_TIME + 10 * draft.height,
                Difficulty.EASIEST,
                ++salt,
                MerkleTree.root(PROFILE, leaves),
                Hash256.ZERO);
        return new ModelBlock(
                new ChainBlock(header, header.id(), mined), draft.parent, draft.coins, draft.locks, draft.txIds);
    }

    /** Block under construction. */
    private final class Draft {
        private final ModelBlock parent;
        private final long height;
        private final List<Transaction> list = new ArrayList<>();
        private final Map<Outpoint, Integer> coins;
        private final Map<Outpoint, ModelBlock.Lock> locks;
        private final Set<Hash256> txIds;

        Draft(ModelBlock parent) {
            this.parent = parent;
            this.height = parent == null ? 0 : parent.height() + 1;
            this.coins = parent == null ? new HashMap<>() : new HashMap<>(parent.coins());
            this.locks = parent == null ? new HashMap<>() : new HashMap<>(parent.locks());
            this.txIds = parent == null ? new HashSet<>() : new HashSet<>(parent.txIds());
            // The coinbase is the same on every branch if it pays the same key: two blocks may share it.
            add(new Transaction(
                    List.of(new Outpoint(Hash256.ZERO, height)),
                    List.of(TxOutput.toAddress(address(random.nextInt(KEYS)), Amount.of(1_000_000_000L + height))),
                    List.of(Witness.EMPTY)));
        }

        void addIfItFits(Transaction tx) {
            boolean fits = !tx.isCoinbase()
                    && !txIds.contains(TransactionCodec.txId(PROFILE, tx))
                    && tx.inputs().stream()
                            .allMatch(input ->
                                    !made.contains(input) || coins.containsKey(input) || locks.containsKey(input));
            if (fits) {
                add(tx);
            }
        }

        private void add(Transaction tx) {
            Hash256 id = TransactionCodec.txId(PROFILE, tx);
            list.add(tx);
            txIds.add(id);
            tx.inputs().forEach(coins::remove);
            tx.inputs().forEach(locks::remove);
            for (int i = 0; i < tx.outputs().size(); i++) {
                Outpoint outpoint = new Outpoint(id, i);
                TxOutput output = tx.outputs().get(i);
                keyOf(output).ifPresent(key -> coins.put(outpoint, key));
                HtlcScript.recognise(output.script())
                        .ifPresent(params ->
                                locks.put(outpoint, new ModelBlock.Lock(params, secrets.get(params.hashLock()))));
                if (coins.containsKey(outpoint) || locks.containsKey(outpoint)) {
                    made.add(outpoint);
                }
            }
        }
    }

    private Optional<Integer> keyOf(TxOutput output) {
        return output.address().flatMap(to -> {
            for (int i = 0; i < KEYS; i++) {
                if (address(i).equals(to)) {
                    return Optional.of(i);
                }
            }
            return Optional.empty();
        });
    }

    private Transaction transaction(Draft draft) {
        return switch (random.nextInt(8)) {
            case 0, 1 -> payment(strangers(), outputs());
            case 2, 3 -> payment(own(draft), outputs());
            case 4 -> payment(own(draft), locks(draft.height));
            case 5 -> payment(strangers(), locks(draft.height));
            case 6 -> spendOfLock(draft, true);
            default -> spendOfLock(draft, false);
        };
    }

    /** Input with its witness. */
    private record Input(Outpoint outpoint, Witness witness) {}

    private static Transaction payment(List<Input> inputs, List<TxOutput> outputs) {
        return new Transaction(
                inputs.stream().map(Input::outpoint).toList(),
                outputs,
                inputs.stream().map(Input::witness).toList());
    }

    private List<Input> strangers() {
        List<Input> inputs = new ArrayList<>();
        for (int i = random.nextInt(2); i >= 0; i--) {
            PublicKey key = PublicKey.of(Seeded.bytes(random, PublicKey.LENGTH));
            inputs.add(new Input(
                    new Outpoint(Hash256.of(Seeded.bytes(random, 32)), random.nextInt(5)),
                    Witness.plain(key, NO_SIGNATURE)));
        }
        return inputs;
    }

    private List<Input> own(Draft draft) {
        List<Outpoint> coins = new ArrayList<>(draft.coins.keySet());
        coins.sort(null);
        List<Input> inputs = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0 && !coins.isEmpty(); i--) {
            Outpoint coin = coins.remove(random.nextInt(coins.size()));
            inputs.add(new Input(coin, Witness.plain(keys.get(draft.coins.get(coin)), NO_SIGNATURE)));
        }
        return inputs.isEmpty() ? strangers() : inputs;
    }

    private List<TxOutput> outputs() {
        List<TxOutput> outputs = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            Address to = random.nextInt(4) == 0 ? Address.of(Seeded.bytes(random, 32)) : address(random.nextInt(KEYS));
            TxOutput output = TxOutput.toAddress(to, Amount.of(200 + random.nextInt(1_000_000)));
            outputs.add(
                    random.nextInt(4) == 0
                            ? output.withDatum(Bytes.wrap(Seeded.bytes(random, random.nextInt(20))))
                            : output);
        }
        return outputs;
    }

    /** Creates one or two locks, sometimes on the same hash as another one, and change. */
    private List<TxOutput> locks(long height) {
        List<TxOutput> outputs = new ArrayList<>(outputs());
        for (int i = random.nextInt(2); i >= 0; i--) {
            HtlcParams params = new HtlcParams(party(), party(), hashLock(), height + random.nextInt(12));
            outputs.add(
                    random.nextInt(outputs.size() + 1),
                    TxOutput.toScript(HtlcScript.build(params), Amount.of(500 + random.nextInt(1_000))));
        }
        return outputs;
    }

    private PublicKey party() {
        return random.nextInt(3) == 0
                ? PublicKey.of(Seeded.bytes(random, PublicKey.LENGTH))
                : keys.get(random.nextInt(KEYS));
    }

    private Hash256 hashLock() {
        List<Hash256> known = new ArrayList<>(secrets.keySet());
        if (!known.isEmpty() && random.nextInt(4) == 0) {
            known.sort(null);
            return known.get(random.nextInt(known.size()));
        }
        byte[] secret = Seeded.bytes(random, 1 + random.nextInt(40));
        Hash256 lock = HtlcWitness.hashLockOf(secret);
        secrets.put(lock, secret);
        return lock;
    }

    private Transaction spendOfLock(Draft draft, boolean claim) {
        List<Outpoint> open = new ArrayList<>(draft.locks.keySet());
        open.sort(null);
        if (open.isEmpty()) {
            return payment(strangers(), locks(draft.height));
        }
        Outpoint lock = open.get(random.nextInt(open.size()));
        ModelBlock.Lock known = draft.locks.get(lock);
        boolean late = known.params().reclaimableInBlock(draft.height);
        Witness witness =
                claim || !late ? HtlcWitness.claim(known.preimage(), NO_SIGNATURE) : HtlcWitness.reclaim(NO_SIGNATURE);
        Witness shown =
                random.nextInt(5) == 0 ? new Witness(witness.data(), Bytes.wrap(Seeded.bytes(random, 3))) : witness;
        return payment(List.of(new Input(lock, shown)), List.of(outputs().get(0)));
    }
}
