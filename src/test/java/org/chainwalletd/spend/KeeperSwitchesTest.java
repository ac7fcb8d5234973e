package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two daemons pay from one store; background work runs in one of them, and moves to the other. */
@Tag("postgres")
class KeeperSwitchesTest {
    private static final int COINS = 40;

    @TempDir
    Path folder;

    private final SharedStores stores = new SharedStores();
    private final List<SpendHarness> daemons = new ArrayList<>();
    private final List<Keeper> keepers = new ArrayList<>();
    /** Replaces the next write of an acceptance. */
    private final AtomicReference<Supplier<?>> acceptance = new AtomicReference<>();

    /** Whether daemons learn only that spends were changed by others, not which. */
    private volatile boolean untold;

    /** Spends in blocks that the second daemon has read from the store. */
    private final Set<Hash256> readByOther = ConcurrentHashMap.newKeySet();

    private Address payer;
    private Address shop;

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < 2; i++) {
            Path place = Files.createDirectory(folder.resolve("daemon-" + i));
            SpendHarness daemon = i == 0 ? new SpendHarness(place) : new SpendHarness(place, daemons.get(0));
            daemon.opens = stores::open;
            boolean first = i == 0;
            daemon.before = intents -> watched(intents, first);
            Keeper keeper = Keeper.under(Spawners.of(daemon.kit));
            daemon.background = keeper;
            daemons.add(daemon);
            keepers.add(keeper);
            daemon.start();
        }
        keepers.get(0).start();
        shop = daemons.get(0).keys.add(99);
        long[] values = new long[COINS];
        Arrays.fill(values, 10_000);
        payer = daemons.get(0).funded(1, values);
    }

    @AfterEach
    void stop() {
        keepers.forEach(Keeper::stop);
        daemons.get(1).close();
        daemons.get(0).close();
    }

    private IntentStore watched(IntentStore intents, boolean first) {
        return Stub.of(IntentStore.class, call -> {
            if (!first && call.name().equals("unburied")) {
                return intents.unburied().whenCompleteAsync((spends, failure) -> noteRead(spends), Runnable::run);
            }
            Supplier<?> instead = call.name().equals("accept") ? acceptance.getAndSet(null) : null;
            if (untold && call.name().equals("changedByOthers")) {
                IntentStore.Changes changes = intents.changedByOthers();
                return new IntentStore.Changes(
                        changes.incomplete() || !changes.spends().isEmpty(), List.of());
            }
            return instead == null ? call.on(intents) : instead.get();
        });
    }

    private void noteRead(List<ConfirmedSpend> spends) {
        if (spends != null) {
            spends.forEach(spend -> readByOther.add(spend.txId()));
        }
    }

    private CompletionStage<Receipt> pay(int daemon, int token) {
        return daemons.get(daemon).spending.transfer(request(payer, shop, 1_000 + token, "token-" + token));
    }

    private Intent spend(Receipt receipt) {
        return get(daemons.get(0).store.intents().find(receipt.txId())).orElseThrow();
    }

    private void confirmed(int keeper) {
        daemons.get(keeper).devnet.mine(1);
        Await.until("nothing is in flight", () -> {
            daemons.get(keeper).wake();
            return get(daemons.get(keeper).store.intents().inFlight()).isEmpty();
        });
    }

    private void moveTo(int keeper) {
        keepers.get(1 - keeper).stop();
        keepers.get(keeper).start();
    }

    @Test
    void payments_at_both_are_followed_by_whichever_does_the_background_work_and_each_token_pays_once() {
        Random random = Seeded.random("keepers.seed");
        List<Receipt> receipts = new ArrayList<>();
        int keeper = 0;
        for (int round = 0; round < 4; round++) {
            List<CompletionStage<Receipt>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                calls.add(pay(random.nextInt(2), 8 * round + i));
                if (random.nextInt(3) == 0) {
                    calls.add(pay(random.nextInt(2), random.nextInt(8 * round + i + 1)));
                }
                if (i == 4) {
                    keeper = 1 - keeper;
                    moveTo(keeper);
                }
            }
            calls.forEach(call -> receipts.add(get(call)));
            confirmed(keeper);
        }

        receipts.forEach(receipt -> assertThat(spend(receipt).state()).isEqualTo(IntentState.CONFIRMED));
        assertThat(daemons.get(0).coins(shop).stream().map(coin -> coin.value().bits() - 1_000))
                .containsExactlyInAnyOrder(LongStream.range(0, 32).boxed().toArray(Long[]::new));
        Await.until("nothing is held at either", () -> {
            daemons.forEach(SpendHarness::wake);
            return daemons.stream().allMatch(daemon -> daemon.spending.inFlightUtxos() == 0);
        });
    }

    @Test
    void a_payment_of_another_daemon_that_nodes_have_forgotten_is_sent_again_by_the_keeper() {
        Receipt receipt = get(pay(1, 1));
        Await.until("the keeper watches it", () -> daemons.get(0).spending.inFlightTransfers() == 1);
        assertThat(daemons.get(1).spending.inFlightUtxos()).isZero();
        daemons.get(0).devnet.forgetMempool();

        Await.until("a node has it again", () -> {
            daemons.get(0).wake();
            return daemons.get(0).devnet.ledger().transaction(receipt.txId()).isPresent();
        });
        confirmed(0);
    }

    @Test
    void the_keeper_alone_abandons_also_what_another_daemon_has_paid_and_that_one_spends_the_coins() {
        Receipt receipt = get(pay(1, 1));
        List<Outpoint> coins =
                spend(receipt).inputs().stream().map(Coin::outpoint).toList();
        Await.until("the keeper watches it", () -> daemons.get(0).spending.inFlightTransfers() == 1);
        daemons.forEach(SpendHarness::lose);

        assertThatThrownBy(() -> get(daemons.get(1).spending.abandon(coins)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.reason()).isEqualTo(StoreException.Reason.NOT_KEEPER));
        abandonOnceSignedOff(coins);

        assertThat(spend(receipt).state()).isEqualTo(IntentState.ABANDONED);
        Outpoint freed = coins.get(0);
        Await.until(
                "the other knows that it is free",
                () -> !daemons.get(1).store.reservations().isReservedInShared(freed));
    }

    @Test
    void a_daemon_that_reads_everything_again_frees_the_coins_of_a_payment_that_is_in_no_block_any_more() {
        untold = true;
        SpendHarness keeper = daemons.get(0);
        SpendHarness other = daemons.get(1);
        TransferRequest all = request(payer, shop, 9_900 * COINS);
        Receipt receipt = get(pay(0, 1));
        List<Outpoint> coins =
                spend(receipt).inputs().stream().map(Coin::outpoint).toList();
        confirmed(0);
        Await.until("the other has read that it is in a block", () -> readByOther.contains(receipt.txId()));
        keeper.node.fault("send_raw_transaction", LedgerNode.Fault.LOST_QUESTION);
        keeper.devnet.reorganise(1, false, List.of());
        Await.until("it is in flight again", () -> spend(receipt).state() == IntentState.ACCEPTED);
        refusal(SpendRefusal.InFlightExhausted.class, other.spending.simulate(all));

        abandonOnceSignedOff(coins);

        Await.until("the other spends its coins", () -> {
            try {
                return get(other.spending.simulate(all)).inputs().size() == COINS;
            } catch (SpendException e) {
                assertThat(e.refusal()).isInstanceOf(SpendRefusal.InFlightExhausted.class);
                return false;
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_an_acceptance_would_have_signed_off_is_signed_off_when_that_is_not_written(boolean throwsIt) {
        StoreException gone = new StoreException(StoreException.Reason.UNAVAILABLE, "the database is gone", null);
        acceptance.set(() -> {
            if (throwsIt) {
                throw gone;
            }
            return CompletableFuture.failedFuture(gone);
        });
        CompletionStage<Receipt> paid = pay(1, 1);
        if (throwsIt) {
            refusal(SpendRefusal.OutcomeUnknown.class, paid);
        } else {
            get(paid);
        }
        assertThat(acceptance).hasValue(null);
        List<Outpoint> coins = get(daemons.get(0).store.intents().inFlight()).get(0).inputs().stream()
                .map(Coin::outpoint)
                .toList();
        Await.until("the keeper watches it", () -> daemons.get(0).spending.inFlightTransfers() == 1);
        daemons.forEach(SpendHarness::lose);

        abandonOnceSignedOff(coins);
    }

    private void abandonOnceSignedOff(List<Outpoint> coins) {
        Await.until("it is signed off and abandoned", () -> {
            try {
                return get(daemons.get(0).spending.abandon(coins)).released() == coins.size();
            } catch (StoreException e) {
                assertThat(e.reason()).isEqualTo(StoreException.Reason.BUSY);
                return false;
            }
        });
    }

    @Test
    void a_new_keeper_knows_what_all_have_reserved_and_the_former_one_forgets_it() {
        Receipt first = get(pay(0, 1));
        Receipt second = get(pay(1, 2));
        Await.until("both are watched", () -> daemons.get(0).spending.inFlightTransfers() == 2);
        int reserved = spend(first).inputs().size() + spend(second).inputs().size();
        assertThat(daemons.get(0).spending.inFlightUtxos()).isEqualTo(reserved);

        moveTo(1);

        Await.until("the new one has all", () -> daemons.get(1).spending.inFlightUtxos() == reserved);
        Await.until("the former one has none", () -> daemons.get(0).spending.inFlightUtxos() == 0);
        get(pay(0, 3));
        confirmed(1);
        assertThat(daemons.get(0).coins(shop)).hasSize(3);
    }
}
