package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.SweepStore.PartState;
import org.chainwalletd.store.SweepStore.State;
import org.chainwalletd.sweep.Sweeps;
import org.chainwalletd.sweep.Sweeps.LeftOver;
import org.chainwalletd.sweep.Sweeps.Report;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sweep over a validating development chain: each coin is moved at most once, whatever dies, is repeated, capped or taken elsewhere. */
@Timeout(120)
class SweepTest {
    private static final String TOKEN = "sweep-token-1";
    private static final String OWNER = "sweeper";

    @TempDir
    Path folder;

    private final Set<String> ended = ConcurrentHashMap.newKeySet();
    private final List<ActorRef<?>> actors = new ArrayList<>();
    private SpendHarness spends;
    private Sweeps sweeps;
    private Address to;

    @BeforeEach
    void start() {
        spends = new SpendHarness(folder);
        spends.start();
        to = spends.keys.add(99);
        begin();
    }

    @AfterEach
    void stop() {
        spends.close();
    }

    private void begin() {
        sweeps = Sweeps.start(
                new Sweeps.Environment(
                        spends.store.sweeps(),
                        spends.store.reservations(),
                        spends.spending,
                        this::coins,
                        () -> 10,
                        () -> 100,
                        ended::contains,
                        Duration.ofMillis(50),
                        spends.clock,
                        spends.executor),
                new Background() {
                    @Override
                    public <T> ActorRef<T> begin(String name, Behavior<T> work, Consumer<? super T> whileStopped) {
                        ActorRef<T> spawned = spends.kit.spawn(work);
                        actors.add(spawned);
                        return spawned;
                    }
                });
    }

    private void restart() {
        actors.forEach(spends.kit::stop);
        actors.clear();
        spends.restart();
        begin();
    }

    private CompletionStage<Optional<NodeClient.UtxoListing>> coins(Address address) {
        return CompletableFuture.completedFuture(Optional.of(new NodeClient.UtxoListing(
                spends.coins(address), false, spends.devnet.ledger().tip().height())));
    }

    private Sweeps.Request request(String token, Optional<Amount> maxFee, Address... from) {
        return new Sweeps.Request(
                token,
                Optional.of(OWNER),
                Hash256.sha256(maxFee.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                () -> List.of(from),
                to,
                maxFee,
                Amount.of(250),
                Optional.of("consolidation"));
    }

    private Report sweep(Address... from) {
        return SpendHarness.get(sweeps.sweep(request(TOKEN, Optional.empty(), from), new CompletableFuture<>()));
    }

    private static long[] values(int count, long each) {
        return LongStream.generate(() -> each).limit(count).toArray();
    }

    private static Set<Hash256> transactions(Report report) {
        Set<Hash256> all = new HashSet<>();
        report.sweep().parts().forEach(part -> part.spend().ifPresent(spend -> all.add(spend.txId())));
        return all;
    }

    private long arrived() {
        return spends.coins(to).stream()
                .mapToLong(coin -> coin.value().toBigInteger().longValueExact())
                .sum();
    }

    private long fees(Report report) {
        return report.sweep().parts().stream()
                .mapToLong(part -> part.part().fee().toBigInteger().longValueExact())
                .sum();
    }

    @Test
    void every_coin_of_many_addresses_goes_to_one_in_transactions_of_several_payers() {
        Address one = spends.funded(11, values(120, 10_000));
        Address two = spends.funded(12, values(3, 20_000));
        Address three = spends.funded(13, 300);

        Report report = sweep(one, two, three);

        assertThat(report.sweep().parts()).hasSize(2);
        assertThat(transactions(report)).hasSize(2);
        spends.confirmAll();
        Report after = sweep(one, two, three);
        assertThat(after.sweep().state()).isEqualTo(State.DONE);
        assertThat(transactions(after)).isEqualTo(transactions(report));
        assertThat(after.leftOver()).hasValueSatisfying(left -> assertThat(left).isEmpty());
        assertThat(arrived()).isEqualTo(120 * 10_000 + 3 * 20_000 + 300 - fees(report));
    }

    @Test
    void what_comes_after_the_coins_were_fixed_and_what_is_too_small_is_left_over() {
        Address one = spends.funded(11, 10_000, 210);
        Report first = sweep(one);
        assertThat(first.leftOver().orElseThrow().get(LeftOver.TOO_SMALL).count())
                .isEqualTo(1);
        spends.confirmAll();
        spends.fund(one, 50_000);

        Report again = sweep(one);

        assertThat(transactions(again)).isEqualTo(transactions(first));
        assertThat(again.leftOver().orElseThrow().get(LeftOver.LATER).amount()).isEqualTo(Amount.of(50_000));
    }

    @Test
    void a_token_stands_for_one_sweep_and_for_nothing_else() {
        Address one = spends.funded(11, 10_000, 20_000);
        sweep(one);

        SpendHarness.refusal(
                SpendRefusal.TokenConflict.class,
                sweeps.sweep(request(TOKEN, Optional.of(Amount.of(5_000)), one), new CompletableFuture<>()));
        SpendHarness.refusal(
                SpendRefusal.TokenConflict.class,
                spends.spending.transfer(SpendHarness.request(one, to, 1_000, TOKEN)));
        spends.fund(one, 30_000);
        SpendHarness.get(spends.spending.transfer(SpendHarness.request(one, to, 1_000, "transfer-token")));
        SpendHarness.refusal(
                SpendRefusal.TokenConflict.class,
                sweeps.sweep(request("transfer-token", Optional.empty(), one), new CompletableFuture<>()));
    }

    @Test
    void two_callers_at_once_get_the_same_transactions() {
        Address one = spends.funded(11, values(150, 10_000));

        CompletionStage<Report> a = sweeps.sweep(request(TOKEN, Optional.empty(), one), new CompletableFuture<>());
        CompletionStage<Report> b = sweeps.sweep(request(TOKEN, Optional.empty(), one), new CompletableFuture<>());

        assertThat(SpendHarness.get(a).sweep().id())
                .isEqualTo(SpendHarness.get(b).sweep().id());
        assertThat(transactions(sweep(one))).hasSize(2);
        spends.confirmAll();
        assertThat(spends.coins(to)).hasSize(2);
    }

    @Test
    void a_cap_stops_further_parts_and_a_repeated_call_goes_on_with_the_same_ones() {
        Address one = spends.funded(11, values(200, 10_000));
        actors.forEach(spends.kit::stop);
        actors.clear();
        spends.crash();
        spends.limits =
                new AllowanceStore.Limits(Optional.empty(), Optional.of(Amount.of(1_500_000)), Duration.ofDays(1));
        spends.start();
        begin();

        Report stopped = sweep(one);

        assertThat(stopped.sweep().state()).isEqualTo(State.STOPPED);
        assertThat(stopped.sweep().reason()).isNotEmpty();
        assertThat(transactions(stopped)).hasSize(1);
        spends.confirmAll();
        spends.clock.move(Duration.ofDays(2));
        Report done = sweep(one);
        assertThat(transactions(done)).hasSize(2).containsAll(transactions(stopped));
        spends.confirmAll();
        assertThat(arrived()).isEqualTo(2_000_000 - fees(done));
    }

    @Test
    void a_sweep_that_was_written_down_but_not_sent_goes_on_by_itself_after_a_crash() {
        Address one = spends.funded(11, values(130, 10_000));
        ended.add(OWNER);
        Report planned = sweep(one);
        assertThat(planned.sweep().state()).isEqualTo(State.STOPPED);
        assertThat(transactions(planned)).isEmpty();
        SpendHarness.get(spends.store.sweeps().move(TOKEN, State.STOPPED, State.RUNNING, ""));
        ended.clear();

        restart();

        Await.until(
                "both parts have a spend",
                () -> SpendHarness.get(spends.store.sweeps().find(TOKEN))
                                .orElseThrow()
                                .state()
                        == State.DONE);
        spends.confirmAll();
        Report after = sweep(one);
        assertThat(transactions(after)).hasSize(2);
        assertThat(arrived()).isEqualTo(1_300_000 - fees(after));
    }

    @Test
    void after_a_crash_a_sent_part_keeps_its_transaction() {
        Address one = spends.funded(11, 10_000, 20_000);
        Report before = sweep(one);

        restart();
        Report after = sweep(one);

        assertThat(transactions(after)).isEqualTo(transactions(before));
        spends.confirmAll();
        assertThat(spends.coins(to)).hasSize(1);
    }

    @Test
    void a_part_whose_coin_another_payment_has_taken_ends_conflicted_and_is_never_built_again() {
        Address one = spends.funded(11, 10_000, 20_000);
        ended.add(OWNER);
        sweep(one);
        SpendHarness.get(spends.spending.transfer(SpendHarness.request(one, spends.keys.add(98), 15_000, "elsewhere")));
        spends.confirmAll();
        ended.clear();

        sweep(one);
        spends.devnet.mine(7);
        Await.until("it is given up", () -> {
            PartState part = sweep(one).sweep().parts().get(0);
            spends.clock.move(Duration.ofSeconds(1));
            return part.ended();
        });

        assertThat(transactions(sweep(one))).isEmpty();
        assertThat(spends.coins(to)).isEmpty();
        assertThat(sweep(one).leftOver().orElseThrow()).containsKey(LeftOver.OF_FAILED_PART);
    }

    @Test
    void an_address_is_needed_until_its_coins_are_on_their_way_and_mined() {
        Address one = spends.funded(11, 10_000);
        sweep(one);
        assertThat(SpendHarness.get(sweeps.unfinishedFrom(one))).contains(TOKEN);

        spends.confirmAll();

        Await.until("its spend is confirmed", () -> {
            spends.wake();
            return SpendHarness.get(sweeps.unfinishedFrom(one)).isEmpty();
        });
        assertThat(sweep(one).sweep().parts().get(0).spend().orElseThrow().state())
                .contains(IntentState.CONFIRMED);
    }

    @Test
    void a_part_costs_no_more_than_max_fee() {
        Address one = spends.funded(11, values(30, 10_000));

        Report report = SpendHarness.get(
                sweeps.sweep(request(TOKEN, Optional.of(Amount.of(700)), one), new CompletableFuture<>()));

        assertThat(report.sweep().parts().size()).isGreaterThan(2);
        Set<Outpoint> moved = new HashSet<>();
        report.sweep().parts().forEach(part -> {
            assertThat(part.part().fee()).isLessThanOrEqualTo(Amount.of(700));
            part.part().coins().forEach(each -> moved.add(each.coin().outpoint()));
        });
        assertThat(moved).hasSize(30);
        SpendHarness.refusal(
                SpendRefusal.FeeTooHigh.class,
                sweeps.sweep(request("sweep-token-2", Optional.of(Amount.of(10)), one), new CompletableFuture<>()));
    }
}
