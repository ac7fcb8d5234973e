package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.Payments.bury;
import static org.chainwalletd.store.Payments.found;
import static org.chainwalletd.store.Payments.inFlight;
import static org.chainwalletd.store.Payments.opening;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.Payments.reserved;
import static org.chainwalletd.store.Payments.spendOfToken;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.outpoint;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SwapSample;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A payment must cost the same after a million payments: no statement of a running daemon may scan a whole table. */
class QueryPlanTest {
    /**
     * Scans of the partial indexes of rows in flight, unburied, abandoned but still counted, not final, or not sealed yet; all their rows are wanted.
     */
    private static final String INDEX_OF_FEW =
            "SCAN spends USING INDEX spends_(open|unburied|still_counted|batches)|SCAN account_sends USING INDEX account_sends_open"
                    + "|SCAN swaps USING INDEX swaps_watched"
                    + "|SCAN sweeps USING INDEX sweeps_running"
                    + "|SCAN account_sends USING COVERING INDEX account_sends_unsealed";

    private static final Address PAID = Address.parse("cd".repeat(32));

    @TempDir
    Path folder;

    @Test
    void no_statement_of_a_running_daemon_scans_a_table() {
        try (SqliteStore store = SqliteStore.open(folder)) {
            Intent first = pay(store, intent(1, 7));
            done(store.intents().accept(first.txId(), Set.of(IntentState.PREPARED), 11));
            done(store.intents().fail(first.txId(), IntentState.ACCEPTED, IntentState.REFUSED, "no", 12));
            done(store.intents().reopen(first.in(IntentState.REFUSED, "no", 12), 13));
            done(store.intents().fail(first.txId(), IntentState.PREPARED, IntentState.CONFLICTED, "spent", 14));
            opening(store, first);
            done(store.intents().abandon(first.txId(), "given up", 15));
            done(store.reservations().abandon(Map.of(first.txId(), Set.of(outpoint(7)))));
            done(store.intents().open(intent(2, 8), 20));
            done(store.reservations().end(hash(2), IntentState.PREPARED));
            done(store.reservations().reserveAgain(hash(2)));
            done(store.intents().confirm(hash(2), IntentState.PREPARED, new BlockPlace(3, hash(3)), 21));
            done(store.intents().unconfirm(hash(2), 22));
            bury(store, hash(2));
            found(store, first.txId());
            done(store.intents().abandon(hash(2), "given up", 23));
            done(store.intents().openSpendOf(first.from()));
            spendOfToken(store, "token-1");
            done(store.receipts().bound("token-1", 0));
            done(store.payouts().firstUnbound(List.of("token-1", "none")));
            done(store.payouts().spendsOf(first.from(), Set.of(first.txId())));
            Intent settled = intent(5, 9);
            done(store.intents().open(settled, Long.MAX_VALUE));
            done(store.intents().confirm(settled.txId(), IntentState.PREPARED, new BlockPlace(3, hash(3)), 21));
            bury(store, settled.txId());
            done(store.receipts().settled(30, 10));
            assertThat(done(store.receipts().keep(Map.of(settled.txId(), Bytes.EMPTY))))
                    .isEqualTo(1);
            done(store.receipts().forgetKept(30, 10));
            done(store.intents().forget(20, 10));
            done(store.allowance().forgetUses(20, 0));

            RawSendStore.Sending passedOn =
                    done(store.rawSends().begin(StoreSample.raw(9), 20)).orElseThrow();
            done(store.rawSends().end(passedOn, IntentState.ACCEPTED, 21));

            AccountSend sent = AccountSendSample.send(0, AccountSend.State.JOURNALLED);
            done(store.accountSends().open(List.of(sent)));
            done(store.accountSends().addVersion(1, 1, AccountSendSample.version(9, 9)));
            done(store.accountSends()
                    .enter(1, AccountSend.State.JOURNALLED, AccountSend.State.SENT, Optional.empty(), 24));
            done(store.accountSends().find(sent.reference()));
            done(store.accountSends().ofOwner(sent.call().chainId(), "swap-0"));
            done(store.accountSends().open(sent.call().chainId()));
            done(store.accountSends()
                    .nextNonce(sent.call().chainId(), sent.call().from()));
            done(store.accountSends()
                    .lastLost(sent.call().chainId(), sent.call().from()));
            done(store.accountSends().page(sent.call().chainId(), Long.MAX_VALUE, 10));
            done(store.accountSends().newestSealed());
            done(store.accountSends().unsealed(10));
            done(store.accountSends()
                    .seal(done(store.accountSends().find(sent.reference())).orElseThrow()));

            sweep(store, first.from());
            SwapSample.write(store);
            done(store.swaps().find("swap-1"));
            done(store.swaps().ofHashLock(StoreSample.hash(1)));
            done(store.swaps().watched());
            done(store.scans().of("locks"));
            done(store.scans().move("locks", 5));
            done(store.watchOnly().remove(List.of(Address.of(new byte[Address.LENGTH]))));
            done(store.swaps().page(Optional.of("quoted"), 9, 1));
            done(store.swaps().page(Optional.empty(), 9, 1));

            reserved(store);
            inFlight(store);
            done(store.intents().unburied());
            done(store.intents().lost(0, 10));
            done(store.intents().abandonedSince(0));
            done(store.intents().contest(hash(3), "a node had it", 24));
            done(store.allowance().spentSince(0));

            assertPlans(Await.result(store.write(session -> session.statements().stream()
                    .filter(sql -> sql.matches("(INSERT|UPDATE|DELETE|SELECT).*") && !sql.contains("sqlite_master"))
                    .map(sql -> plan(session, sql))
                    .toList())));
            assertPlans(Await.result(store.read(session ->
                    session.statements().stream().map(sql -> plan(session, sql)).toList())));
        }
    }

    private static void sweep(SqliteStore store, Address payer) {
        List<SweepStore.Part> parts = List.of(StoreContract.part(0, 60), StoreContract.part(1, 61));
        SweepStore.Sweep sweep = StoreContract.begun(store, "sweep", parts);
        Intent part = pay(store, StoreContract.partSpend(sweep, 0, 160, 60));
        done(store.intents().confirm(part.txId(), IntentState.PREPARED, new BlockPlace(3, hash(3)), 41));
        done(store.sweeps().find("sweep"));
        assertThat(done(store.history().payers(done(store.history().after(0, 100)))))
                .hasSize(1);
        done(store.sweeps().running());
        done(store.sweeps().unfinishedFrom(payer));
        done(store.sweeps().move("sweep", SweepStore.State.RUNNING, SweepStore.State.STOPPED, "a cap"));
        done(store.sweeps().endUnopened("sweep", 1));
        done(store.sweeps().stop("sweep"));
    }

    /** Few payouts wait or are in flight; the many final ones must never be scanned. */
    @Test
    void no_question_about_payouts_walks_through_those_that_are_final() {
        try (SqliteStore store = SqliteStore.open(folder)) {
            Intent batch = batch(1);
            assertThat(submit(store, "payout-1", "payout-2", "payout-3")).hasSize(3);
            assertThat(done(store.intents().openBatch(batch, List.of(1L), 0, () -> 10)))
                    .isInstanceOf(Opening.Opened.class);
            done(store.intents().confirm(batch.txId(), IntentState.PREPARED, new BlockPlace(3, hash(3)), 21));
            bury(store, batch.txId());
            done(store.write(session -> {
                session.update("WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 101000)"
                        + " INSERT INTO payouts (id, payout_id, to_address, amount, source, mark, spend, output_index,"
                        + " submitted_at, changed_at, change) SELECT i, 'old-' || i, p.to_address, 1, p.source, 'QUEUED',"
                        + " p.spend, 0, 1, 1, i FROM n, payouts p WHERE p.id = 1");
                return null;
            }));

            PayoutStore payouts = store.payouts();
            for (PayoutStore.State state : PayoutStore.State.values()) {
                done(payouts.list(Optional.of(state), 0, 10));
            }
            done(payouts.list(Optional.empty(), 0, 10));
            done(payouts.changes(PayoutStore.BEGINNING, 10));
            done(payouts.find("old-1001"));
            done(store.receipts().bound("payout-1", 0));
            done(payouts.unfinished());
            done(payouts.isPaused());
            done(payouts.unrecalled());
            done(payouts.waitingFrom(batch.from()));
            done(payouts.spendsOf(batch.from(), Set.of(batch.txId())));
            assertThat(submit(store, "payout-1", "payout-4")).hasSize(2);
            done(payouts.holdEnded(Set.of("shop"), 30));
            done(payouts.cancel(List.of("payout-4"), PayoutStore.Claimant.ANYBODY, 31));
            done(payouts.release(List.of("payout-3"), PayoutStore.Claimant.ANYBODY, 32));
            done(payouts.pause(true));

            assertPayoutPlans(Await.result(store.write(QueryPlanTest::payoutPlans)));
            assertPayoutPlans(Await.result(store.read(QueryPlanTest::payoutPlans)));
        }
    }

    private static List<PayoutStore.Payout> submit(SqliteStore store, String... ids) {
        List<PayoutStore.Order> orders = Arrays.stream(ids)
                .map(id -> new PayoutStore.Order(id, PAID, Amount.of(1_000), Optional.empty(), Optional.empty()))
                .toList();
        PayoutStore.Submission answer =
                done(store.payouts().submit(orders, List.of(StoreContract.PAYER), Optional.empty(), 1_000_000, 5));
        return ((PayoutStore.Submission.Accepted) answer).payouts();
    }

    private static Intent batch(int coin) {
        return StoreSample.signed(
                StandIns.PAYOUT_BATCH,
                StoreContract.PAYER,
                intent(77, coin).inputs(),
                List.of(TxOutput.toAddress(PAID, Amount.of(1_000))),
                OptionalInt.empty(),
                txId -> Optional.of(new TokenBinding(TokenBinding.ofDaemon("batch"), txId)),
                10);
    }

    private static List<String> payoutPlans(SqlSession session) {
        return session.statements().stream()
                .filter(sql -> sql.matches("(UPDATE|DELETE|SELECT).*") && sql.contains("payout"))
                .map(sql -> plan(session, sql))
                .toList();
    }

    /** A page that starts at a number reads on from there, which is correct for all payouts and for final ones. */
    private static void assertPayoutPlans(List<String> plans) {
        assertThat(plans).isNotEmpty();
        for (String plan : plans) {
            boolean wantsAll = plan.contains("WHERE p.id > ?")
                    || plan.contains("s.buried = 1")
                    || plan.contains("p.mark = 'CANCELLED'")
                    || plan.contains("(p.change, p.id) > (?, ?)");
            String found = plan.substring(plan.indexOf(" => ") + 4)
                    .replaceAll(
                            "SCAN (p|payouts) USING (COVERING )?INDEX payouts_waiting"
                                    + "|SCAN (s|spends) USING (COVERING )?INDEX spends_batches|SCAN payout_sources",
                            "");
            if (!wantsAll) {
                assertThat(found).as(plan).doesNotContain("SCAN", "rowid>");
            }
        }
    }

    private static void assertPlans(List<String> plans) {
        assertThat(plans)
                .isNotEmpty()
                .noneMatch(plan -> plan.replaceAll(INDEX_OF_FEW, "").contains("SCAN"));
    }

    private static String plan(SqlSession session, String sql) {
        try {
            return sql + " => " + session.query("EXPLAIN QUERY PLAN " + sql, row -> row.text("detail"));
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static Intent intent(int number, int coin) {
        return StoreSample.intent(number, "token-" + number % 2, coin);
    }
}
