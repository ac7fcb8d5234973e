package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;

/** Random history of a daemon that is killed, gets another store, and loses data to its node and its chain; subclasses add the actions. */
abstract class MoneyHistory implements AutoCloseable {
    final Random random;
    final StoreDeath death;
    final List<String> steps = new CopyOnWriteArrayList<>();
    final List<CrashPoint> deaths = new ArrayList<>();
    /** Results of the payments. */
    final List<String> ends = new ArrayList<>();

    int restored;
    private final SpendHarness spends;
    private Optional<Runnable> copy = Optional.empty();

    MoneyHistory(SpendHarness spends, Path folder, StorePlace place, Random random) {
        this.random = random;
        this.spends = spends;
        spends.place = place;
        this.death = new StoreDeath(folder, place);
    }

    /** Creates one history. */
    interface Maker {
        MoneyHistory in(Path folder, StorePlace place, Random random);
    }

    /**
     * Runs histories one after the other, and prints what they have covered.
     *
     * @param name prefix of the seed's name, followed by the number of the history
     */
    static void runMany(String name, int histories, Path folder, Supplier<StorePlace> places, Maker maker) {
        Map<CrashPoint, Integer> deaths = new EnumMap<>(CrashPoint.class);
        Map<String, Integer> ends = new TreeMap<>();
        int restored = 0;
        for (int i = 0; i < histories; i++) {
            HangWatch.alive();
            Random random = Seeded.random(name + " " + i);
            try (MoneyHistory history = maker.in(folder.resolve("history-" + i), places.get(), random)) {
                history.run();
                history.deaths.forEach(point -> deaths.merge(point, 1, Integer::sum));
                history.ends.forEach(end -> ends.merge(end, 1, Integer::sum));
                restored += history.restored;
            }
        }
        System.out.println(histories + " of " + name + ", stores restored: " + restored + ", deaths: " + deaths
                + ", ends: " + ends);
    }

    abstract void run();

    abstract void start();

    /** Drops everything in memory, like a kill. */
    abstract void crash();

    /** Continues with a store that lacks payments, after the step in which it may die. */
    abstract void startRestored();

    /** Leaves to the next process only what the killed one has on disk. */
    final void die() {
        boolean started = false;
        while (!started) {
            spends.place.kill();
            crash();
            death.putBack().ifPresent(point -> {
                steps.add("died at " + point);
                deaths.add(point);
            });
            started = starts();
        }
    }

    /** Whether it is alive after the start. */
    private boolean starts() {
        try {
            start();
            return true;
        } catch (StoreException e) {
            if (!death.isDead()) {
                throw e;
            }
            return false;
        }
    }

    /** Arms a death at a random passage of a random crash point. */
    final void armDeath() {
        death.arm(StoreDeath.OF_SPENDS.get(random.nextInt(StoreDeath.OF_SPENDS.size())), 1 + random.nextInt(4));
    }

    /** Copies the store, replaces the current store with the copy, or removes the store. */
    final void storeMoves() {
        death.disarm();
        crash();
        death.putBack();
        if (copy.isEmpty()) {
            copy = Optional.of(spends.place.copy(spends.folder()));
            start();
            return;
        }
        if (random.nextInt(3) == 0) {
            spends.place.remove(spends.folder());
        } else {
            copy.get().run();
        }
        copy = Optional.empty();
        if (!startsAsUsual()) {
            restored++;
            steps.add("restored");
            if (spends.place.restoresInSteps() && random.nextBoolean()) {
                death.arm(random.nextBoolean() ? CrashPoint.RESTORE_ENTERED : CrashPoint.RESTORE_TOLD, 1);
                spends.place.restore(spends.folder(), false);
                deaths.add(death.putBack().orElseThrow());
                if (startsAsUsual()) {
                    crash();
                    throw new AssertionError("a store that is half restored does not say so");
                }
            }
            startRestored();
        }
    }

    private boolean startsAsUsual() {
        try {
            start();
        } catch (StoreException refused) {
            return false;
        }
        boolean pays = spends.store.stopped().isEmpty();
        if (!pays) {
            crash();
        }
        return pays;
    }

    final void heal() {
        faults(LedgerNode.Fault.NONE);
        spends.node.refuseSends(null);
    }

    /** Sets the faults of the node, to which a dead process sends nothing. */
    final void faults(LedgerNode.Fault fault) {
        spends.node.faults(method -> death.isDead()
                ? LedgerNode.Fault.LOST_QUESTION
                : method.equals("send_raw_transaction") ? fault : LedgerNode.Fault.NONE);
    }

    /** Builds another party's spend of a coin of the daemon. */
    final Transaction rival(Address payer, Coin coin) {
        return spends.returned(payer, coin, 150 + random.nextInt(50));
    }

    /** Spends one of the coins as another party with the same key. */
    final void foreignSpend(Address payer, List<NodeClient.Utxo> coins) {
        if (coins.isEmpty()) {
            return;
        }
        NodeClient.Utxo coin = coins.get(random.nextInt(coins.size()));
        try {
            spends.devnet.ledger().submit(rival(payer, new Coin(coin.outpoint(), coin.value())));
        } catch (RejectedException | IllegalArgumentException e) {
            steps.add("refused");
        }
    }

    /** Like {@link SpendHarness#get}, except that a dead process does not answer. */
    final <T> T get(CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        Await.until("an answer, or death", () -> {
            spends.rumour();
            return answer.isDone() || death.isDead();
        });
        if (!answer.isDone() || death.isDead()) {
            throw new StoreException(StoreException.Reason.UNAVAILABLE, "the process is dead", null);
        }
        return SpendHarness.get(answer);
    }

    static void quietly(Runnable act) {
        try {
            act.run();
        } catch (SpendException | NodeException | StoreException | RefusedException | CompletionException e) {
            // Every refusal is checked in the end.
            assertThat(e).isNotNull();
        }
    }

    @Override
    public abstract void close();

    @Override
    public final String toString() {
        return steps.toString();
    }
}
