package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.spend.SpendEnvironment.Pace;
import org.chainwalletd.spend.SpendEnvironment.SteadyClock;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers of a token when only the answer is left of its payment. */
class KeptReceiptTest extends SpendCase {
    private static final String TOKEN = "token-payout";

    private Receipt receipt;

    KeptReceiptTest() {
        super(700, 700, 10_000);
    }

    @BeforeEach
    void pay() {
        receipt = pay(10_500, TOKEN);
        assertThat(receipt.inputs()).hasSizeGreaterThan(1);
        spends.confirmAll();
    }

    private void bury() {
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
        spends.awaitBuried();
    }

    private boolean isWhole() {
        return get(spends.store.intents().find(receipt.txId())).isPresent();
    }

    private void shrink() {
        bury();
        spends.clock.advance(SpendHarness.RECEIPT_TTL.dividedBy(2).plusMillis(1));
        spends.forget();
        Await.until("only its answer is left", () -> !isWhole());
    }

    private void assertThatItAnswers() {
        assertThat(pay(10_500, TOKEN)).isEqualTo(receipt);
        refusal(SpendRefusal.TokenConflict.class, transfer(10_501, TOKEN));
        assertThat(spends.pending(payer)).isZero();
    }

    @Test
    void a_payment_is_kept_whole_until_it_is_buried_and_half_its_time_is_over() {
        spends.clock.advance(SpendHarness.RECEIPT_TTL.multipliedBy(2));
        spends.forget();
        assertThatItAnswers();
        assertThat(isWhole()).as("not buried").isTrue();

        bury();
        spends.forget();
        Await.until("it is forgotten or shrunk", () -> !isWhole());
    }

    @Test
    void a_token_answers_its_receipt_to_the_byte_when_no_more_is_left_and_after_a_restart() {
        shrink();
        assertThatItAnswers();

        spends.restart();
        spends.awaitFollowed();

        assertThatItAnswers();
        assertThat(spends.coins(shop)).hasSize(1);
    }

    @Test
    void a_payment_of_which_only_the_answer_is_left_is_never_paid_twice_when_a_reorganisation_takes_it_away() {
        shrink();

        spends.devnet.reorganise(SpendHarness.BURIAL_DEPTH + 1, false, List.of());
        spends.awaitFollowed();
        assertThat(spends.coins(shop)).isEmpty();
        assertThatItAnswers();
        spends.restart();
        spends.awaitFollowed();

        assertThatItAnswers();
        assertThat(spends.devnet.ledger().transaction(receipt.txId())).isEmpty();
    }

    @Test
    void the_same_payment_of_another_token_takes_no_transaction_that_was_one_before() {
        shrink();
        spends.devnet.reorganise(SpendHarness.BURIAL_DEPTH + 1, false, List.of());
        spends.awaitFollowed();
        spends.restart();
        spends.awaitFollowed();

        refusal(SpendRefusal.InFlightExhausted.class, transfer(10_500, "token-another"));

        assertThat(spends.pending(payer)).isZero();
    }

    @Test
    void a_token_names_a_new_payment_when_its_time_is_over() {
        shrink();
        spends.clock.advance(SpendHarness.RECEIPT_TTL);
        spends.fund(payer, 20_000);
        spends.forget();

        assertThat(pay(10_500, TOKEN).txId()).isNotEqualTo(receipt.txId());
    }

    /** If the clock were trusted, a repeated queue of payments would be paid again. */
    @Test
    void a_clock_that_is_ahead_at_a_start_forgets_no_token_before_the_chain_has_come_as_far() {
        bury();
        long begun = spends.clock.millis();
        for (OptionalLong tip : List.of(OptionalLong.of(begun), OptionalLong.empty())) {
            spends.crash();
            spends.chainTime = () -> tip;
            spends.clock.advance(SpendHarness.RECEIPT_TTL.multipliedBy(40));
            spends.start();
            spends.forget();
            Await.until("only its answer is left", () -> !isWhole());

            assertThatItAnswers();
        }

        spends.chainTime = () ->
                OptionalLong.of(begun + SpendHarness.RECEIPT_TTL.plusSeconds(1).toMillis());
        spends.restart();
        spends.fund(payer, 20_000);
        spends.awaitFollowed();
        assertThat(pay(10_500, TOKEN).txId()).isNotEqualTo(receipt.txId());
    }

    private void seeSteadyTime() {
        spends.seen = new SteadyClock(spends.clock, () -> 0, () -> spends.chainTime.get());
    }

    /** As on a machine that sets its clock some moments after starting the daemon: payments made then would look old after the next start. */
    @Test
    void a_clock_that_is_behind_at_a_start_and_set_right_afterwards_forgets_no_token() {
        OptionalLong chain = OptionalLong.of(spends.clock.millis());
        spends.crash();
        spends.chainTime = () -> chain;
        spends.clock.advance(Duration.ofDays(-400));
        seeSteadyTime();
        spends.start();
        spends.clock.advance(Duration.ofDays(400));
        spends.fund(payer, 20_000);
        spends.chainTime = () -> OptionalLong.of(spends.clock.millis());
        TransferRequest request = request(payer, shop, 1_000, "token-behind");
        Receipt paid = get(spends.spending.transfer(request));
        spends.confirmAll();
        bury();

        spends.crash();
        seeSteadyTime();
        spends.start();
        spends.awaitFollowed();

        assertThat(get(spends.spending.transfer(request))).isEqualTo(paid);
        assertThat(spends.pending(payer)).isZero();
    }

    @Test
    void an_answer_that_cannot_be_read_is_no_new_payment_and_harms_no_other_token() {
        bury();
        assertThat(get(spends.store.receipts().keep(Map.of(receipt.txId(), Bytes.parse("02ff")))))
                .isEqualTo(1);

        assertThatThrownBy(() -> pay(10_500, TOKEN)).hasMessageContaining("form 2");

        spends.fund(payer, 20_000);
        assertThat(pay(1_000, "token-other").txId()).isNotEqualTo(receipt.txId());
        assertThat(spends.pending(payer)).isEqualTo(1);
    }

    @Test
    void a_payment_stays_whole_while_the_disk_is_full_and_makes_room_when_it_is_not_any_more() {
        Queue<CompletionStage<?>> kept = new ConcurrentLinkedQueue<>();
        spends.beforeReceipts = store -> hearing(store, kept);
        bury();
        spends.clock.advance(SpendHarness.RECEIPT_TTL.dividedBy(2).plusMillis(1));
        StoreFaults.failWrites(spends.store, true);
        spends.forget();
        Await.until("it was tried", () -> !kept.isEmpty());
        assertThatThrownBy(() -> get(kept.remove())).isInstanceOf(StoreException.class);
        assertThat(isWhole()).isTrue();
        assertThatItAnswers();

        StoreFaults.failWrites(spends.store, false);
        spends.forget();

        Await.until("only its answer is left", () -> !isWhole());
        assertThatItAnswers();
    }

    private static ReceiptStore hearing(ReceiptStore store, Queue<CompletionStage<?>> kept) {
        return Stub.of(ReceiptStore.class, call -> {
            Object answer = call.on(store);
            if (call.name().equals("keep")) {
                kept.add((CompletionStage<?>) answer);
            }
            return answer;
        });
    }

    /** The outcome of some commits is unknown, and some of these take effect only after the next start. */
    @Test
    void a_token_answers_its_receipt_whatever_becomes_of_the_commits_that_keep_it() {
        UncertainDisk disk =
                new UncertainDisk(Seeded.random("commits that keep receipts"), () -> spends.limits, spends.clock);
        spends.beforeReceipts = disk::before;
        spends.opened = disk::recover;
        bury();
        spends.clock.advance(SpendHarness.RECEIPT_TTL.dividedBy(2).plusMillis(1));
        disk.fails(100);
        for (int start = 0; start < 4; start++) {
            spends.restart();
            spends.awaitFollowed();
            assertThatItAnswers();
        }

        disk.fails(0);
        spends.restart();
        Await.until("only its answer is left", () -> !isWhole());
        assertThatItAnswers();
    }

    @Test
    void an_answer_says_what_the_receipt_did_whatever_its_shape() {
        Hash256 txId = Hash256.sha256(new byte[] {1});
        TxOutput plain = TxOutput.toAddress(shop, Amount.of(200));
        TxOutput large = TxOutput.toScript(Bytes.wrap(new byte[65_535]), Amount.ofUnsigned(-201))
                .withDatum(Bytes.EMPTY)
                .withDatumHash(txId);
        List<Coin> inputs = List.of(new Coin(new Outpoint(txId, 0xffff_ffffL), Amount.MAX));
        for (int change = -1; change < 2; change++) {
            Receipt whole = new Receipt(
                    txId,
                    0xffff_ffffL,
                    Amount.ZERO,
                    -1,
                    inputs,
                    List.of(new Receipt.PaidOutput(plain, change == 0), new Receipt.PaidOutput(large, change >= 0)),
                    -2);

            Bound.ToReceipt kept = new Bound.ToReceipt(txId, txId, KeptAnswer.of(whole));

            assertThat(KeptAnswer.read(kept)).isEqualTo(whole);
        }
        assertThat(KeptAnswer.of(receipt).length()).as("two outputs").isLessThan(300);
    }

    @Test
    void a_payment_that_was_buried_while_the_clock_was_years_behind_answers_its_token_once_the_clock_is_right() {
        long right = spends.clock.millis();
        spends.chainTime = () -> OptionalLong.of(right);
        Duration years = Duration.ofDays(3_650);
        spends.clock.advance(years.negated());
        Receipt paid = pay(300, "while-behind");
        spends.confirmAll();
        bury();

        spends.clock.advance(years);
        spends.forget();
        assertThat(pay(300, "while-behind").txId()).isEqualTo(paid.txId());
        Duration expired = SpendHarness.RECEIPT_TTL.plusMinutes(1);
        assertThat(get(spends.store.receipts().bound("while-behind", right - expired.toMillis())))
                .isPresent();
        assertThat(get(spends.store.receipts().bound("while-behind", right + expired.toMillis())))
                .isEmpty();
    }

    @Test
    void a_payment_stays_whole_for_a_day_or_for_half_its_time() {
        assertThat(pace(Duration.ofDays(30)).wholeFor()).isEqualTo(Duration.ofDays(1));
        assertThat(pace(Duration.ofMinutes(1)).wholeFor()).isEqualTo(Duration.ofSeconds(30));
    }

    private static Pace pace(Duration receiptTtl) {
        Duration any = Duration.ofSeconds(1);
        return new Pace(any, any, any, any, receiptTtl, any, 1);
    }
}
