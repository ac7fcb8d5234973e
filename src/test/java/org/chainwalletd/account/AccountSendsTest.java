package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.ETHER;
import static org.chainwalletd.account.AccountRig.done;
import static org.chainwalletd.account.AccountRig.refusal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.account.endpoints.GasPrice.FeeMarket;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.testkit.TestPools;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.chainwalletd.testkit.evm.SignedTransaction;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A single owner of the nonces: an acknowledged transaction is sent once, followed until it is final, and nothing new is sent while the chain's
 * count is not explained.
 */
@Tag("long")
class AccountSendsTest {
    private static final int SENDS = Integer.getInteger("walletd.account.sends", 150);

    @TempDir
    Path folder;

    @AutoClose
    private AccountRig rig;

    private BigInteger before;

    @BeforeEach
    void start() {
        rig = new AccountRig(folder);
        before = rig.received();
    }

    private BigInteger paid() {
        return rig.received().subtract(before);
    }

    /** Returns another program with our key. */
    private EvmWallet thief() {
        return rig.chain.wallet(
                SecretBytes.takeOver(Bytes.parse("11".repeat(32)).toArray()));
    }

    /** @param fee wei per gas */
    private void stealNonce(long nonce, BigInteger fee) {
        thief().send(nonce, fee, fee, 21_000, Optional.of(rig.other), BigInteger.ONE, Bytes.EMPTY);
    }

    private List<CompletionStage<SendRecord>> sendMany() {
        List<CompletionStage<SendRecord>> answers = new ArrayList<>();
        for (int i = 0; i < SENDS; i++) {
            answers.add(rig.sends.send(rig.request("send-" + i, BigInteger.valueOf(i + 1))));
        }
        return answers;
    }

    private void assertHasOneNonceEach(List<CompletionStage<SendRecord>> answers) {
        assertThat(AccountRig.all(answers))
                .extracting(SendRecord::nonce)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, SENDS).boxed().toList());
    }

    @Test
    void a_send_is_followed_from_the_mempool_to_a_final_block() {
        SendRecord sent = rig.send("one", 7);

        assertThat(sent.state()).isInstanceOf(SendState.Sent.class);
        assertThat(rig.chain.waiting()).extracting(SignedTransaction::hash).containsExactly(sent.hash());
        rig.chain.mine();
        rig.await("one", SendState.Mined.class);
        rig.chain.mine(4);
        rig.await("one", SendState.Final.class);
        assertThat(rig.find("one").hash()).isEqualTo(sent.hash());
        assertThat(paid()).isEqualTo(7);
        assertThat(done(rig.sends.open(rig.own))).isEmpty();
    }

    /** Sends that wait for slow endpoints must not delay a claim, which has a deadline. */
    @Test
    void a_claim_is_not_refused_because_of_the_sends_that_wait() {
        rig.both(endpoint -> endpoint.hang("*"));
        for (int i = 0; i < AccountRig.PACE.mostOpen(); i++) {
            rig.sends.send(rig.request("send-" + i, BigInteger.ONE));
        }
        CompletionStage<SendRecord> claim = rig.sends.send(
                rig.request("claim", SendKind.CLAIM, SendValue.exactly(BigInteger.ONE), Pushing.BY_ITSELF));

        assertThatThrownBy(() -> rig.send("one-more", 1)).isInstanceOf(RefusedException.class);
        assertThat(claim.toCompletableFuture()).isNotDone();
    }

    @Test
    void many_callers_at_once_get_one_nonce_each_and_none_is_left_out() {
        assertHasOneNonceEach(sendMany());
        rig.awaitNonce(SENDS, Duration.ZERO);
        assertThat(paid()).isEqualTo(BigInteger.valueOf((long) SENDS * (SENDS + 1) / 2));
        rig.chain.mine(5);
        rig.await("send-" + (SENDS - 1), SendState.Final.class);
    }

    @Test
    void a_mempool_that_forgets_is_filled_again_with_the_same_bytes() {
        Hash256 hash = rig.send("one", 7).hash();
        rig.chain.forgetAll();
        rig.chain.clock().advance(AccountRig.PACE.resend());

        Await.until("it is there again", () -> !rig.chain.waiting().isEmpty());
        assertThat(rig.chain.waiting()).extracting(SignedTransaction::hash).containsExactly(hash);
        rig.mineAndFinish("one");
        assertThat(rig.find("one").hashes()).containsExactly(hash);
    }

    @Test
    void many_sends_are_mined_once_each_although_the_mempool_forgets_repeatedly() {
        List<CompletionStage<SendRecord>> answers = sendMany();
        int[] forgets = {5};
        AtomicLong handed = new AtomicLong();

        Await.until("all are mined", () -> {
            if (forgets[0] > 0 && rig.first.count("eth_sendRawTransaction") > handed.get()) {
                forgets[0]--;
                rig.chain.forgetAll();
                handed.set(rig.first.count("eth_sendRawTransaction"));
            }
            rig.chain.clock().advance(AccountRig.PACE.resend());
            rig.chain.mine();
            return rig.chain.nonce(rig.own) == SENDS;
        });

        assertThat(forgets[0]).isZero();
        assertHasOneNonceEach(answers);
        assertThat(paid()).isEqualTo(BigInteger.valueOf((long) SENDS * (SENDS + 1) / 2));
        rig.chain.mine(5);
        for (int i = 0; i < SENDS; i++) {
            rig.await("send-" + i, SendState.Final.class);
        }
    }

    @Test
    void an_endpoint_that_swallows_a_send_does_not_keep_it_from_the_other() {
        rig.first.swallowSends();

        Hash256 hash = rig.send("one", 7).hash();

        Await.until("the other has it", () -> !rig.chain.waiting().isEmpty());
        rig.mineAndFinish("one");
        assertThat(rig.find("one").hash()).isEqualTo(hash);
    }

    @Test
    void a_send_that_no_endpoint_accepts_is_reported_as_open_and_is_sent_later_with_the_same_bytes() {
        rig.both(endpoint -> endpoint.refuse("eth_sendRawTransaction", -32000, "txpool is full"));

        SendRecord record = rig.send("one", 7);

        assertThat(record.state()).isInstanceOf(SendState.Journalled.class);
        rig.both(EvmEndpoint::behave);
        rig.chain.clock().advance(AccountRig.PACE.resend());
        rig.await("one", SendState.Sent.class);
        assertThat(rig.chain.waiting()).extracting(SignedTransaction::hash).containsExactly(record.hash());
    }

    @Test
    void a_reference_is_one_transaction_permanently_and_with_other_values_refused() {
        List<CompletionStage<SendRecord>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(rig.sends.send(rig.request("one", BigInteger.TEN)));
        }
        assertThat(AccountRig.all(answers))
                .extracting(SendRecord::hash)
                .containsOnly(rig.find("one").hash());
        rig.mineAndFinish("one");
        rig.crash();

        assertThat(rig.send("one", 10).state()).isInstanceOf(SendState.Final.class);
        assertThat(refusal(() -> rig.send("one", 11)).code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(paid()).isEqualTo(10);
    }

    @Test
    void a_token_that_is_the_id_of_a_payout_sends_nothing() {
        done(payout("invoice-17"));

        assertThat(refusal(() -> rig.send(AccountSendStore.reference("invoice-17"), 10))
                        .code())
                .isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(done(rig.store.accountSends().find(AccountSendStore.reference("invoice-17"))))
                .isEmpty();
        rig.send(AccountSendStore.reference("invoice-18"), 10);
        rig.mineAndFinish(AccountSendStore.reference("invoice-18"));
        assertThat(paid()).isEqualTo(10);
    }

    private CompletionStage<PayoutStore.Submission> payout(String id) {
        Address to = Address.parse("b2".repeat(32));
        PayoutStore.Order payout = new PayoutStore.Order(id, to, Amount.of(1_000), Optional.empty(), Optional.empty());
        return rig.store.payouts().submit(List.of(payout), List.of(to), Optional.empty(), 9, 5);
    }

    private SendRequest ofAccessToken(String name) {
        SendRequest request = rig.request(AccountSendStore.reference("invoice-1"), BigInteger.TEN);
        return Copies.with(request, "owner", Optional.of(SendRequest.ownedBy(name)));
    }

    @Test
    void a_reference_that_another_access_token_uses_at_the_same_moment_is_its_alone() {
        CompletableFuture<Void> disk = new CompletableFuture<>();
        rig.restartWith(real -> heralded(real, sends -> disk));
        CompletionStage<SendRecord> first = rig.sends.send(ofAccessToken("one"));

        CompletionStage<SendRecord> second = rig.sends.send(ofAccessToken("two"));
        CompletionStage<SendRecord> same = rig.sends.send(ofAccessToken("one"));

        assertThat(refusal(() -> done(second)).data())
                .isEqualTo(new SendRefusal.TokenData("invoice-1", Optional.of("one"), Optional.empty()));
        disk.complete(null);
        assertThat(done(first).hash()).isEqualTo(done(same).hash());
        rig.mineAndFinish(AccountSendStore.reference("invoice-1"));
        assertThat(paid()).isEqualTo(10);
    }

    @Test
    void a_token_that_a_payout_takes_before_the_commit_sends_nothing_and_the_others_of_its_batch_leave() {
        String taken = AccountSendStore.reference("invoice-2");
        CompletableFuture<Void> disk = new CompletableFuture<>();
        List<Integer> batches = new CopyOnWriteArrayList<>();
        rig.restartWith(real -> heralded(real, sends -> {
            batches.add(sends.size());
            return sends.stream().anyMatch(send -> send.reference().equals(taken)) ? payout("invoice-2") : disk;
        }));
        List<CompletionStage<SendRecord>> answers = new ArrayList<>();
        answers.add(rig.sends.send(rig.request("first", BigInteger.ONE)));
        Await.until("the first is being written", () -> !batches.isEmpty());
        for (int i = 1; i <= 3; i++) {
            answers.add(rig.sends.send(
                    rig.request(AccountSendStore.reference("invoice-" + i), BigInteger.valueOf(10L * i))));
        }
        disk.complete(null);

        CompletionStage<SendRecord> refused = answers.remove(2);
        assertThat(AccountRig.all(answers)).extracting(SendRecord::nonce).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(refusal(() -> done(refused))).isEqualTo(SendRefusal.referenceTaken(taken));
        rig.mineAndFinish(AccountSendStore.reference("invoice-3"));
        assertThat(paid()).isEqualTo(41);
    }

    @Test
    void what_is_stuck_pays_an_eighth_more_in_both_fields_and_all_its_hashes_are_followed() {
        rig.send("one", 7);
        rig.chain.clock().advance(AccountRig.PACE.stuck());
        // Blocks are counted from the first look at the chain.
        Await.until("it was replaced", () -> {
            rig.chain.mineEmpty();
            return rig.find("one").hashes().size() == 2;
        });
        Await.until(
                "it pays more",
                () -> rig.chain.waiting().stream()
                        .anyMatch(tx -> tx.hash().equals(rig.find("one").hash())));

        var versions = done(rig.journal.find("one")).orElseThrow().versions();
        for (BigInteger[] pair : List.of(
                new BigInteger[] {versions.get(0).tip(), versions.get(1).tip()},
                new BigInteger[] {versions.get(0).maxFee(), versions.get(1).maxFee()})) {
            assertThat(pair[1].multiply(BigInteger.valueOf(1_000)))
                    .isGreaterThanOrEqualTo(pair[0].multiply(BigInteger.valueOf(1_125)));
        }
        rig.mineAndFinish("one");
        assertThat(rig.find("one").hash()).isEqualTo(versions.get(1).hash());
        assertThat(paid()).isEqualTo(7);
    }

    @Test
    void the_version_that_is_mined_counts_even_when_it_is_the_older_one() {
        Hash256 older = rig.send("one", 7).hash();
        Bytes raw = done(rig.journal.find("one")).orElseThrow().newest().raw();
        done(rig.sends.raise("one"));
        assertThat(rig.find("one").hashes()).hasSize(2);
        rig.chain.forgetAll();
        rig.chain.submit(raw);
        rig.mineAndFinish("one");

        assertThat(rig.find("one").hash()).isEqualTo(older);
    }

    @Test
    void a_version_whose_receipt_no_endpoint_tells_hides_no_other_one() {
        Hash256 older = rig.send("one", 7).hash();
        Bytes raw = done(rig.journal.find("one")).orElseThrow().newest().raw();
        String newer = "0x" + done(rig.sends.raise("one")).hash().hex();
        rig.both(endpoint -> endpoint.lies()
                .tell((method, params, truth) -> method.equals("eth_getTransactionReceipt")
                                && params.path(0).asText().equals(newer)
                        ? JsonNodeFactory.instance.objectNode().put("blockHash", "nonsense")
                        : truth));
        rig.chain.forgetAll();
        rig.chain.submit(raw);
        rig.mineAndFinish("one");

        assertThat(rig.find("one").hash()).isEqualTo(older);
    }

    @Test
    void a_chain_that_stalls_is_not_paid_more() {
        rig.send("one", 7);
        rig.chain.clock().advance(Duration.ofHours(2));
        Await.until("it was sent again", () -> rig.first.count("eth_sendRawTransaction") > 1);

        assertThat(rig.find("one").hashes()).hasSize(1);
    }

    @Test
    void a_replacement_never_goes_above_its_ceiling() {
        FeeMarket market = done(rig.fees());
        BigInteger most = GasPrice.of(market).cost(21_000);

        rig.send(rig.claim("one", most));

        assertThat(done(rig.sends.raise("one")).hashes()).hasSize(1);
    }

    @Test
    void a_cancelled_send_is_either_mined_or_never_and_the_record_tells_which() {
        rig.send("one", 7);

        assertThat(done(rig.sends.cancel("one")).state()).isInstanceOf(SendState.Cancelling.class);
        rig.chain.mine();
        Await.until("it is mined", () -> rig.chain.nonce(rig.own) == 1);
        rig.chain.mine(5);
        rig.await("one", SendState.Cancelled.class);
        assertThat(paid()).isZero();
        assertThat(rig.send("two", 3).nonce()).isEqualTo(1);
    }

    @Test
    void a_revert_is_reported_as_one_and_costs_its_nonce() {
        rig.send(rig.call(
                "one", SendKind.REFUND, BigInteger.ZERO, SwapContract.refund(Hash256.ZERO), new Gas.Fixed(100_000)));
        rig.chain.mine();
        rig.await("one", SendState.Mined.class);
        assertThat(rig.find("one").state().word()).isEqualTo("reverting");
        rig.chain.mine(5);

        rig.await("one", SendState.Reverted.class);
        assertThat(rig.send("two", 1).nonce()).isEqualTo(1);
    }

    @Test
    void a_reorganisation_takes_a_mined_send_back_to_the_mempool() {
        rig.send("one", 7);
        rig.chain.mine();
        rig.await("one", SendState.Mined.class);
        rig.chain.reorganiseAway(1, 2);

        rig.await("one", SendState.Sent.class);
        rig.mineAndFinish("one");
        assertThat(paid()).isEqualTo(7);
    }

    @Test
    void a_reorganisation_that_drops_the_transaction_is_answered_with_the_same_bytes() {
        Hash256 hash = rig.send("one", 7).hash();
        rig.chain.mine();
        rig.await("one", SendState.Mined.class);
        rig.chain.reorganiseWithout(1, 2, hash);

        Await.until(
                "it waits again",
                () -> rig.chain.waiting().stream().anyMatch(tx -> tx.hash().equals(hash)));
        rig.mineAndFinish("one");
    }

    @Test
    void another_party_with_the_key_stops_all_sending_until_the_operator_has_looked() {
        rig.send("one", 7);
        rig.mineAndFinish("one");
        thief().pay(rig.other, BigInteger.ONE);
        rig.chain.mine();

        for (int i = 0; i < 2; i++) {
            String reference = "after-" + i;
            assertThat(refusal(() -> rig.send(reference, 1))).isEqualTo(SendRefusal.nonceGap(rig.own, 1, 2));
            rig.crash();
        }
        rig.knownNonce = OptionalLong.of(2);
        rig.crash();
        assertThat(rig.send("again", 1).nonce()).isEqualTo(2);
    }

    @Test
    void a_send_whose_nonce_another_sender_has_used_is_lost_and_told_so() {
        SendRecord first = rig.send("one", 7);
        // High enough to replace our transaction, which is resent whenever it is missing.
        BigInteger fee = BigInteger.valueOf(1_000_000_000_000L);
        stealNonce(first.nonce(), fee);
        rig.chain.mine(6);

        Await.until("it is missing", () -> rig.send("one", 7).state() instanceof SendState.Missing);
        assertThatThrownBy(() -> rig.send("before", 1)).hasMessageContaining("Somebody else uses the key");
        Await.until("it is lost", () -> {
            rig.chain.clock().advance(AccountRig.PACE.resend());
            return rig.find("one").state() instanceof SendState.Lost;
        });
        rig.crash();
        assertThat(refusal(() -> rig.send("two", 1)).message()).contains("Somebody else uses the key");
        assertThat(rig.send("one", 7).state()).isInstanceOf(SendState.Lost.class);
    }

    @Test
    void a_payment_behind_more_than_are_asked_for_at_a_time_is_looked_at_in_its_turn() {
        List<CompletionStage<SendRecord>> answers = new ArrayList<>();
        for (int i = 0; i < 130; i++) {
            answers.add(rig.sends.send(rig.request("send-" + i, BigInteger.ONE)));
        }
        Set<String> hidden = new HashSet<>();
        AccountRig.all(answers)
                .forEach(record -> hidden.add("0x" + record.hash().hex()));
        rig.both(endpoint -> endpoint.lies()
                .tell((method, params, truth) -> method.equals("eth_getTransactionReceipt")
                                && hidden.contains(params.path(0).asText())
                        ? NullNode.getInstance()
                        : truth));
        rig.send("last", 1);
        rig.chain.mine();

        rig.await("last", SendState.Mined.class);
    }

    /** Uses the nonce of {@code reference} as another sender, at fees at which none of our versions is mined. */
    private void steal(String reference) {
        BigInteger ours = newestFee(reference);
        BigInteger fee = ours.multiply(BigInteger.valueOf(3));
        rig.chain.baseFee(ours.multiply(BigInteger.TWO));
        stealNonce(rig.find(reference).nonce(), fee);
        rig.chain.mine(6);
        Await.until("it is missing", this::isFirstMissing);
        // The head may have been seen only now for the first time.
        rig.chain.mine(AccountRig.PACE.stuckBlocks());
    }

    private boolean isFirstMissing() {
        return done(rig.sends.open(rig.own)).get(0).state() instanceof SendState.Missing;
    }

    private void awaitRaised(String reference) {
        Await.until("it is raised", () -> rig.find(reference).hashes().size() > 1);
    }

    @Test
    void a_payment_behind_a_missing_one_is_raised_and_what_that_one_would_have_taken_is_not_kept_for_it() {
        BigInteger fee = market().multiply(BigInteger.valueOf(21_000));
        rig.send(rig.request(
                "missing", ETHER.subtract(fee.multiply(BigInteger.valueOf(3))).subtract(BigInteger.TEN)));
        rig.send("next", 7);
        steal("missing");

        rig.chain.clock().advance(AccountRig.PACE.stuck());
        awaitRaised("next");

        assertThat(rig.find("missing").hashes()).hasSize(1);
        assertThat(isFirstMissing()).isTrue();
    }

    @Test
    void a_payment_behind_a_missing_lock_is_raised_for_a_gate_which_stays_shut_and_that_lock_is_not_cancelled() {
        rig.send(rig.lock("lock"));
        rig.sends.reserveFor(address -> 1);
        rig.send(rig.all("all"));
        steal("lock");
        rig.sends.reserveFor(address -> 1_000_000);

        assertThat(done(rig.sends.makeWay(rig.own))).isTrue();
        rig.chain.clock().advance(AccountRig.PACE.stuck());
        assertThat(done(rig.sends.makeWay(rig.own))).isTrue();
        awaitRaised("all");
        Await.until(
                "what pays more has reached an endpoint",
                () -> rig.chain.waiting().stream()
                        .anyMatch(tx -> tx.hash().equals(newest("all").hash())));

        rig.chain.mine();
        rig.await("all", SendState.Mined.class);
        assertThat(rig.find("lock").hashes()).hasSize(1);
        assertThat(done(rig.sends.makeWay(rig.own))).isTrue();
        assertThat(isFirstMissing()).isTrue();
    }

    @Test
    void a_missing_payment_that_a_claim_waits_for_is_raised_as_before() {
        rig.send("missing", 7);
        rig.send(rig.claim("claim", ETHER.divide(BigInteger.valueOf(100))));
        steal("missing");

        rig.chain.clock().advance(AccountRig.PACE.urgent());
        awaitRaised("claim");
        rig.chain.clock().advance(AccountRig.PACE.urgent());
        awaitRaised("missing");

        assertThat(isFirstMissing()).isTrue();
    }

    @Test
    void an_endpoint_whose_receipts_come_late_makes_no_payment_lost() throws IOException {
        try (AccountRig alone =
                new AccountRig(Files.createDirectory(folder.resolve("alone")), 1, 1, Duration.ofSeconds(30))) {
            alone.second.lies().noReceipts();
            alone.send("one", 7);
            alone.chain.mine(6);
            Await.until("it was looked for", () -> alone.second.count("eth_getTransactionReceipt") > 4);

            assertThat(alone.send("one", 7).state()).isInstanceOf(SendState.Missing.class);
            assertThat(alone.find("one").state()).isInstanceOf(SendState.Sent.class);
            alone.second.behave();
            alone.await("one", SendState.Final.class);
            assertThat(alone.send("one", 7).state()).isInstanceOf(SendState.Final.class);
            alone.send("two", 1);
        }
    }

    @Test
    void one_dishonest_endpoint_of_two_neither_makes_a_nonce_nor_a_receipt() {
        rig.second.lies().nonce(rig.own, 50);
        assertThatThrownBy(() -> rig.send("never", 7))
                .isInstanceOf(AccountException.Disagreement.class)
                .hasMessageContaining("50 transactions")
                .hasMessageContaining("0 transactions");
        rig.second.behave();
        SendRecord sent = rig.send("one", 7);
        assertThat(sent.nonce()).isZero();
        rig.second.lies().receipt(sent.hash(), false);
        rig.chain.mine(6);
        Await.until("it was asked for", () -> rig.second.count("eth_getTransactionReceipt") > 2);
        assertThat(rig.find("one").state()).isInstanceOf(SendState.Sent.class);
        rig.second.behave();

        rig.await("one", SendState.Final.class);
    }

    @Test
    void gas_of_open_swaps_is_never_spent_by_a_send_but_by_their_own_transactions() {
        rig.sends.reserveFor(address -> address.equals(rig.own) ? 2 : 0);
        AccountFunds funds = rig.sends.funds(rig.own);
        FeeMarket market = done(rig.fees());
        assertThat(funds.reservePerSwap())
                .isEqualTo(market.baseFee()
                        .multiply(BigInteger.TWO)
                        .add(market.tip())
                        .multiply(BigInteger.valueOf(480_000)));
        assertThat(funds.reserved()).isEqualTo(funds.reservePerSwap().multiply(BigInteger.TWO));
        BigInteger fee = GasPrice.of(market).cost(21_000);
        BigInteger most = ETHER.subtract(funds.reserved()).subtract(fee);

        assertThat(refusal(() -> rig.send(rig.request("too-much", most.add(BigInteger.ONE)))))
                .isEqualTo(SendRefusal.insufficientBalance(
                        most.add(BigInteger.ONE).add(fee), ETHER.subtract(funds.reserved()), funds.reserved()));
        assertThat(rig.send(rig.all("all")).value()).isEqualTo(most);
        AccountSends.AccountFunds left = rig.sends.funds(rig.own);
        assertThat(left.balance()).isEqualTo(left.committed().add(left.reserved()));
        assertThat(rig.send(rig.request("claim", SendKind.CLAIM, SendValue.exactly(BigInteger.ZERO), Pushing.BY_ITSELF))
                        .nonce())
                .isEqualTo(1);
    }

    @Test
    void a_claim_is_sent_although_the_quorum_is_unavailable() {
        rig.send("one", 7);
        rig.second.down();
        assertThatThrownBy(() -> rig.send("two", 7)).isInstanceOf(AccountException.class);

        SendRecord claim = rig.send(rig.claim("claim"));

        assertThat(claim.nonce()).isEqualTo(1);
        assertThat(rig.chain.waiting()).hasSize(2);
        rig.chain.clock().advance(AccountRig.PACE.urgent());
        Await.until("it pays more", () -> rig.find("claim").hashes().size() == 2);
        rig.second.up();
    }

    @Test
    void an_endpoint_that_hangs_indefinitely_with_all_of_its_ordinary_threads_taken_does_not_delay_a_claim()
            throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("patient"));
        try (AccountRig patient = new AccountRig(elsewhere, 2, 2, Duration.ofMinutes(1))) {
            patient.send("one", 7);
            List<CompletableFuture<?>> hanging = patient.saturate(patient.first);

            patient.send(patient.claim("claim"));
            patient.chain.clock().advance(AccountRig.PACE.urgent());
            Await.until("it pays more", () -> patient.find("claim").hashes().size() == 2);
            patient.chain.mine();

            assertThat(patient.chain.nonce(patient.own)).isEqualTo(2);
            patient.await("claim", SendState.Mined.class);
            assertThat(hanging).noneMatch(CompletableFuture::isDone);
            patient.first.behave();
        }
    }

    @Test
    void an_urgent_send_is_raised_every_thirty_seconds_even_on_a_chain_that_stalls() {
        rig.send(rig.claim("claim"));
        for (int versions = 2; versions < 5; versions++) {
            int wanted = versions;
            rig.chain.clock().advance(AccountRig.PACE.urgent());
            Await.until("it pays more", () -> rig.find("claim").hashes().size() == wanted);
        }
    }

    @Test
    void an_urgent_send_is_raised_beyond_the_version_that_no_endpoint_has_accepted_yet() {
        rig.send(rig.claim("claim"));
        refuseEverything("replacement transaction underpriced");
        for (int versions = 2; versions < 5; versions++) {
            int wanted = versions;
            rig.chain.clock().advance(AccountRig.PACE.urgent());
            Await.until("it pays more", () -> rig.find("claim").hashes().size() == wanted);
            assertThat(rig.find("claim").hashes()).doesNotHaveDuplicates();
        }

        List<BigInteger> fees = done(rig.journal.find("claim")).orElseThrow().versions().stream()
                .map(AccountSend.Version::maxFee)
                .toList();
        assertThat(fees).isSorted();
    }

    @Test
    void what_its_owner_pushes_stays_where_it_is_after_a_restart_until_he_does() {
        // A second endpoint could accept it at any time after the first one's answer, which is the only one waited for.
        rig.second.refuse("eth_sendRawTransaction", -32000, "txpool is full");
        Hash256 hash = rig.send(rig.lock("lock")).hash();
        rig.chain.forgetAll();
        rig.crash();
        rig.chain.clock().advance(Duration.ofHours(1));
        long looks = rig.first.count("eth_getBlockByNumber");
        Await.until("it was looked at", () -> rig.first.count("eth_getBlockByNumber") > looks + 4);
        assertThat(rig.chain.waiting()).isEmpty();

        done(rig.sends.push("lock"));

        assertThat(rig.chain.waiting()).extracting(SignedTransaction::hash).containsExactly(hash);
    }

    @Test
    void a_listener_receives_each_change_after_it_is_durable() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        rig.sends.onChange(record -> heard.add(record.state().word() + " "
                + rig.find(record.reference()).state().word()));
        rig.send("one", 7);
        Await.until("it was told as sent", () -> heard.size() == 1);
        rig.mineAndFinish("one");

        Await.until("all was told", () -> heard.size() == 3);
        assertThat(heard).containsExactly("sent sent", "mined mined", "final final");
    }

    @Test
    void a_contract_that_would_refuse_the_money_is_reported_before_a_nonce_is_used() {
        SendRequest request = rig.call("one", SendKind.SEND, BigInteger.ONE, Bytes.EMPTY, new Gas.Estimated());

        assertThat(refusal(() -> rig.send(request)).message()).contains("would refuse the transaction");
        assertThat(rig.send("two", 1).nonce()).isZero();
    }

    @Test
    void after_a_drain_nothing_new_is_taken() {
        done(rig.sends.drain());

        assertThat(refusal(() -> rig.send("one", 1))).isEqualTo(SendRefusal.shuttingDown());
    }

    private void refuseEverything(String words) {
        rig.both(endpoint -> endpoint.refuse("eth_sendRawTransaction", -32000, words));
    }

    @Test
    void what_every_endpoint_refuses_for_good_is_abandoned_and_later_nonces_go() {
        refuseEverything("intrinsic gas too low");
        rig.send("never", 7);
        rig.send("later", 3);
        awaitGivenUp("never");
        rig.both(EvmEndpoint::behave);
        rig.awaitNonce(2, AccountRig.PACE.resend());
        rig.chain.mine(5);

        rig.await("never", SendState.Cancelled.class);
        assertThat(paid()).isEqualTo(3);
    }

    @Test
    void another_access_token_learns_of_the_payment_that_was_abandoned_and_not_of_what_spent_its_nonce() {
        refuseEverything("intrinsic gas too low");
        Hash256 hash = rig.send(ofAccessToken("one")).hash();
        awaitGivenUp(AccountSendStore.reference("invoice-1"));

        assertThat(refusal(() -> rig.send(ofAccessToken("two"))).data())
                .isEqualTo(new SendRefusal.TokenData("invoice-1", Optional.of("one"), Optional.of("0x" + hash.hex())));
    }

    /** Advances the time after which a send that every endpoint has refused is abandoned. */
    private void awaitGivenUp(String reference) {
        awaitRefusedAgain();
        rig.chain.clock().advance(AccountRig.PACE.refused());
        rig.await(reference, SendState.Cancelling.class);
    }

    private void awaitRefusedAgain() {
        long sent = rig.first.count("eth_sendRawTransaction");
        Await.until("it was refused again", () -> {
            rig.chain.clock().advance(AccountRig.PACE.resend());
            return rig.first.count("eth_sendRawTransaction") > sent;
        });
    }

    @Test
    void what_cannot_be_abandoned_for_want_of_balance_is_sent_again() {
        refuseEverything("intrinsic gas too low");
        rig.send("one", 7);
        awaitRefusedAgain();
        rig.both(endpoint -> endpoint.lies().balance(rig.own, BigInteger.ZERO));
        long asked = rig.second.count("eth_getBalance");
        rig.chain.clock().advance(AccountRig.PACE.refused());
        Await.until("it was to be given up", () -> rig.second.count("eth_getBalance") > asked);
        long sent = rig.first.count("eth_sendRawTransaction");
        rig.chain.clock().advance(AccountRig.PACE.resend());
        Await.until("it goes out again", () -> rig.first.count("eth_sendRawTransaction") > sent);
        rig.both(EvmEndpoint::behave);
        rig.chain.clock().advance(AccountRig.PACE.resend());

        rig.await("one", SendState.Sent.class);
        rig.mineAndFinish("one");
        assertThat(paid()).isEqualTo(7);
    }

    @Test
    void what_one_endpoint_gives_no_answer_to_is_not_given_up() {
        refuseEverything("intrinsic gas too low");
        rig.second.loseAnswers("eth_sendRawTransaction");
        rig.send("one", 7);
        long sent = rig.first.count("eth_sendRawTransaction");
        for (int i = 1; i < 4; i++) {
            long more = sent + i;
            rig.chain.clock().advance(AccountRig.PACE.refused());
            Await.until("it was refused again", () -> rig.first.count("eth_sendRawTransaction") >= more);
        }

        assertThat(rig.find("one").state()).isNotInstanceOf(SendState.Cancelling.class);
    }

    @Test
    void a_payment_that_delays_a_claim_is_raised_to_what_the_claim_pays_and_no_further() {
        rig.send("one", 7);
        rig.chain.baseFee(BigInteger.valueOf(40_000_000_000L));
        rig.chain.mineEmpty();
        rig.send(rig.claim("claim"));
        rig.chain.clock().advance(AccountRig.PACE.urgent());
        Await.until(
                "both pay more",
                () -> rig.find("claim").hashes().size() == 2
                        && rig.find("one").hashes().size() == 2);

        rig.awaitNonce(2, Duration.ZERO);
        assertThat(paid()).isEqualTo(7);
    }

    @Test
    void a_payment_that_delays_a_claim_offers_as_much_as_that_one_beyond_the_bound_of_payments() {
        BigInteger most = market().multiply(BigInteger.TEN);
        rig.send("one", 7);
        // A fee above eight times the limit of payments and close to the claim's tip leaves no room for the eighth by
        // which a replacement must exceed it.
        BigInteger perGas = most.multiply(BigInteger.valueOf(4));
        rig.send(rig.claim("claim", perGas.multiply(BigInteger.valueOf(21_000))));

        // The claim rises step by step: after several steps at once, the payment could follow only to within an eighth.
        while (newest("claim").tip().compareTo(most) <= 0) {
            int versions = rig.find("claim").hashes().size();
            rig.chain.clock().advance(AccountRig.PACE.urgent());
            Await.until("the claim pays more", () -> rig.find("claim").hashes().size() > versions);
            Await.until(
                    "the payment offers what the claim offers",
                    () -> newest("one").tip().compareTo(newest("claim").tip()) >= 0);
        }
    }

    /** If both fields were raised equally, it would use the whole balance before its tip reached that of the claim. */
    @Test
    void spending_a_nonce_that_delays_a_claim_offers_as_much_and_costs_no_more_than_the_market_and_that_claim() {
        BigInteger worth = ETHER.divide(BigInteger.valueOf(100));
        rig.both(endpoint -> endpoint.lies().tip(BigInteger.ONE));
        BigInteger most = market().multiply(BigInteger.TEN)
                .multiply(BigInteger.valueOf(21_000))
                .add(worth);
        rig.send("one", 7);
        done(rig.sends.cancel("one"));
        rig.send(rig.claim("claim", worth));
        rig.chain.clock().advance(AccountRig.PACE.urgent());
        awaitRaised("claim");
        Await.until("it offers what the claim offers", () -> {
            done(rig.sends.raise("one"));
            return newest("one").tip().compareTo(newest("claim").tip()) >= 0;
        });

        assertThat(newestFee("one").multiply(BigInteger.valueOf(21_000))).isLessThanOrEqualTo(most);
    }

    /** Otherwise a claim of a small amount would delay a large one until fees fall or its deadline has passed. */
    @Test
    void a_claim_at_its_ceiling_is_raised_by_what_waits_behind_it_and_not_without() {
        BigInteger most = GasPrice.of(done(rig.fees())).cost(21_000);
        rig.send(rig.claim("small", most));
        rig.chain.baseFee(BigInteger.valueOf(40_000_000_000L));
        rig.chain.mineEmpty();
        assertThat(done(rig.sends.raise("small")).hashes()).hasSize(1);

        rig.send(rig.claim("large", ETHER.divide(BigInteger.TEN)));
        rig.chain.clock().advance(AccountRig.PACE.urgent());

        rig.awaitNonce(2, Duration.ZERO);
        assertThat(rig.find("small").hashes()).hasSizeGreaterThan(1);
    }

    /** A query of the remaining balance must include a payment that is about to get its nonce. */
    @Test
    void what_is_being_made_counts_as_committed() {
        CompletableFuture<Void> disk = new CompletableFuture<>();
        AtomicBoolean writing = new AtomicBoolean();
        rig.restartWith(real -> heralded(real, sends -> {
            writing.set(true);
            return disk;
        }));
        CompletionStage<SendRecord> sending = rig.sends.send(rig.request("one", BigInteger.TEN));
        Await.until("it is being written", writing::get);

        CompletableFuture<AccountFunds> funds =
                CompletableFuture.supplyAsync(() -> rig.sends.funds(rig.own), TestPools.of("asks"));
        disk.complete(null);

        assertThat(done(funds).committed()).isGreaterThan(BigInteger.TEN);
        assertThat(done(sending).nonce()).isZero();
    }

    /** @param before completes when new rows may be written */
    private static AccountSendStore heralded(
            AccountSendStore real, Function<List<AccountSend>, CompletionStage<?>> before) {
        return Stub.of(AccountSendStore.class, call -> {
            if (!FatedJournal.isOpening(call)) {
                return call.on(real);
            }
            List<AccountSend> rows = ((List<?>) call.arguments()[0])
                    .stream().map(AccountSend.class::cast).toList();
            return before.apply(rows)
                    .thenComposeAsync(ready -> FatedJournal.made(call, real), ForkJoinPool.commonPool());
        });
    }

    @Test
    void making_way_tells_whether_anything_waits_and_leaves_a_fresh_lock_alone() {
        assertThat(done(rig.sends.makeWay(rig.own))).isFalse();
        rig.send(rig.lock("lock"));

        assertThat(done(rig.sends.makeWay(rig.own))).isTrue();
        assertThat(rig.find("lock").hashes()).hasSize(1);
        rig.chain.mine();
        rig.await("lock", SendState.Mined.class);
        assertThat(done(rig.sends.makeWay(rig.own))).isFalse();
    }

    @Test
    void a_payment_of_all_that_delays_a_gate_is_raised_from_what_swaps_need() {
        rig.sends.reserveFor(address -> 1);
        rig.send(rig.all("all"));
        rig.chain.baseFee(newestFee("all").multiply(BigInteger.valueOf(3)));
        rig.chain.mineEmpty();
        for (int i = 0; i < 3; i++) {
            tryToRaise();
        }
        assertThat(rig.find("all").hashes()).hasSize(1);

        Await.until("the way is free", () -> {
            rig.chain.clock().advance(AccountRig.PACE.stuck());
            rig.chain.mine();
            return !done(rig.sends.makeWay(rig.own));
        });
        assertThat(newestFee("all")).isLessThanOrEqualTo(market().multiply(BigInteger.TEN));
        assertThat(rig.chain.nonce(rig.own)).isEqualTo(1);
    }

    @Test
    void a_payment_that_delays_a_claim_is_raised_although_no_endpoint_tells_the_balance() {
        rig.send("one", 7);
        rig.send(rig.claim("claim", ETHER.divide(BigInteger.valueOf(100))));
        rig.both(endpoint -> endpoint.refuse("eth_getBalance", -32000, "busy"));

        awaitRaisedForClaim();
    }

    @Test
    void a_payment_that_delays_a_claim_is_raised_although_an_endpoint_says_that_there_is_no_money() {
        rig.send("one", 7);
        rig.send(rig.claim("claim", ETHER.divide(BigInteger.valueOf(100))));
        rig.first.lies().balance(rig.own, BigInteger.ZERO);

        awaitRaisedForClaim();
    }

    @Test
    void a_payment_that_delays_a_claim_is_raised_to_what_can_be_paid_although_an_endpoint_tells_of_more() {
        rig.send(rig.request("one", ETHER.subtract(market().multiply(BigInteger.valueOf(2 * 21_000L)))));
        rig.send(rig.claim("claim", ETHER.divide(BigInteger.valueOf(100))));
        rig.chain.baseFee(newestFee("one").multiply(BigInteger.valueOf(3)).divide(BigInteger.TWO));
        rig.first.lies().balance(rig.own, ETHER.multiply(BigInteger.TEN));
        rig.chain.mineEmpty();

        Await.until("it is mined", () -> {
            rig.chain.clock().advance(AccountRig.PACE.urgent());
            rig.chain.mine();
            return rig.chain.nonce(rig.own) > 0;
        });
    }

    private void awaitRaisedForClaim() {
        Await.until("the payment is raised", () -> {
            rig.chain.clock().advance(AccountRig.PACE.urgent());
            return rig.find("one").hashes().size() > 1;
        });
    }

    private BigInteger market() {
        return GasPrice.of(done(rig.fees())).maxFee();
    }

    private AccountSend.Version newest(String reference) {
        return done(rig.journal.find(reference)).orElseThrow().newest();
    }

    private BigInteger newestFee(String reference) {
        return newest(reference).maxFee();
    }

    /** Advances time and blocks so far that the next transaction is raised, and waits until that was tried. */
    private void tryToRaise() {
        long asked = rig.second.count("eth_getBalance");
        Await.until("it was tried", () -> {
            rig.chain.clock().advance(AccountRig.PACE.stuck());
            rig.chain.mineEmpty();
            return rig.second.count("eth_getBalance") > asked;
        });
    }

    @Test
    void a_payment_that_is_raised_repeatedly_neither_leaves_the_market_nor_takes_what_swaps_need() {
        rig.sends.reserveFor(address -> 1);
        BigInteger reserved = rig.sends.funds(rig.own).reserved();
        BigInteger most = market().multiply(BigInteger.TEN);
        rig.send("one", 7);
        for (int i = 0; i < 100; i++) {
            done(rig.sends.raise("one"));
        }

        BigInteger fee = newestFee("one");
        assertThat(fee).isGreaterThan(most.divide(BigInteger.TWO)).isLessThanOrEqualTo(most);
        assertThat(fee.multiply(BigInteger.valueOf(21_000)).add(BigInteger.valueOf(7)))
                .isLessThanOrEqualTo(ETHER.subtract(reserved));
    }

    @Test
    void a_raise_leaves_what_open_swaps_and_other_payments_need() {
        BigInteger perSwap = rig.sends.funds(rig.own).reservePerSwap();
        BigInteger fee = market().multiply(BigInteger.valueOf(21_000));
        rig.send("one", 7);
        rig.send(rig.request(
                "later",
                ETHER.subtract(perSwap).subtract(fee.multiply(BigInteger.TWO)).subtract(BigInteger.valueOf(8))));
        rig.sends.reserveFor(address -> 1);

        assertThat(done(rig.sends.raise("one")).hashes()).hasSize(1);
        rig.sends.reserveFor(address -> 0);
        assertThat(done(rig.sends.raise("one")).hashes()).hasSize(2);
    }

    @Test
    void nothing_is_raised_above_the_market_while_no_endpoint_accepts_it() {
        BigInteger most = market().multiply(BigInteger.TEN);
        refuseEverything("intrinsic gas too low");
        rig.send("never", 7);
        awaitGivenUp("never");
        for (int i = 0; i < 60; i++) {
            tryToRaise();
        }

        assertThat(newestFee("never")).isLessThanOrEqualTo(most);
        assertThat(rig.find("never").hashes()).hasSize(2);
        rig.chain.baseFee(BigInteger.valueOf(40_000_000_000L));
        Await.until("it follows the market", () -> {
            tryToRaise();
            return newestFee("never").compareTo(market()) >= 0;
        });
    }

    @Test
    void a_payment_is_raised_further_while_endpoints_want_more_for_its_replacement() {
        rig.send("one", 7);
        refuseEverything("replacement transaction underpriced");
        assertThat(done(rig.sends.raise("one")).hashes()).hasSize(2);

        Await.until("a higher one is made", () -> {
            tryToRaise();
            return rig.find("one").hashes().size() > 2;
        });
        rig.both(EvmEndpoint::behave);
        Await.until("it is taken", () -> {
            rig.chain.clock().advance(AccountRig.PACE.resend());
            return rig.chain.waiting().stream()
                    .anyMatch(tx -> tx.hash().equals(rig.find("one").hash()));
        });
        rig.mineAndFinish("one");

        assertThat(rig.find("one").hashes().indexOf(rig.find("one").hash())).isGreaterThan(1);
    }

    @Test
    void a_payment_of_all_is_mined_although_no_endpoint_tells_the_balance_while_it_is_stuck() {
        rig.send(rig.all("all"));
        rig.both(endpoint -> endpoint.refuse("eth_getBalance", -32000, "busy"));
        tryToRaise();
        tryToRaise();
        rig.both(EvmEndpoint::behave);
        rig.chain.forgetAll();

        awaitMined("all");
    }

    /** Rows as journalled by an earlier release. */
    @Test
    void a_version_that_cannot_be_paid_does_not_keep_the_one_before_it_from_going_out_again() {
        rig.send(rig.all("all"));
        rig.both(endpoint -> endpoint.lies().balance(rig.own, ETHER.multiply(BigInteger.TWO)));
        done(rig.sends.raise("all"));
        assertThat(rig.find("all").hashes()).hasSize(2);
        rig.both(EvmEndpoint::behave);
        rig.chain.forgetAll();

        awaitMined("all");
    }

    private void awaitMined(String reference) {
        Await.until("it is mined", () -> {
            rig.chain.clock().advance(AccountRig.PACE.resend());
            rig.chain.mine();
            SendState state = rig.find(reference).state();
            // Further blocks may have been mined before the first look.
            return state instanceof SendState.Mined || state instanceof SendState.Final;
        });
    }

    @Test
    void what_is_to_be_abandoned_is_not_sent_once_more_when_nothing_is_left_to_pay_for_that() {
        rig.send(rig.lock("lock"));
        rig.both(endpoint -> endpoint.lies().balance(rig.own, BigInteger.ZERO));
        rig.chain.forgetAll();
        Await.until("the first endpoint has it too", () -> rig.first.count("eth_sendRawTransaction") > 0);
        long sent = rig.first.count("eth_sendRawTransaction");

        assertThat(done(rig.sends.cancel("lock")).hashes()).hasSize(1);

        assertThat(rig.first.count("eth_sendRawTransaction")).isEqualTo(sent);
    }

    @Test
    void what_pays_more_than_its_ceiling_even_at_the_base_fee_gets_no_nonce() {
        SendRequest request = rig.claim("claim", BigInteger.valueOf(21_000));

        assertThat(refusal(() -> rig.send(request)).message()).contains("asks for a fee of up to");
        assertThat(rig.send("two", 1).nonce()).isZero();
    }

    @Test
    void each_state_has_its_name_in_the_history() {
        Hash256 any = Hash256.ZERO;
        assertThat(List.of(
                        new SendState.Journalled(),
                        new SendState.Sent(),
                        new SendState.Cancelling(),
                        new SendState.Mined(any, 1, any, 0, true),
                        new SendState.Mined(any, 1, any, 0, false),
                        new SendState.Final(any, 1, any),
                        new SendState.Reverted(any, 1, any),
                        new SendState.Cancelled(any, 1, any),
                        new SendState.Missing(),
                        new SendState.Lost()))
                .extracting(SendState::word)
                .containsExactly(
                        "journalled",
                        "sent",
                        "cancelling",
                        "mined",
                        "reverting",
                        "final",
                        "reverted",
                        "cancelled",
                        "sent",
                        "lost");
    }

    @Test
    void an_endpoint_that_repeats_what_it_was_sent_gets_it_into_no_text_of_ours() {
        Bytes raw = Bytes.parse("02" + "5ec2e7".repeat(20));
        rig.both(endpoint -> endpoint.refuse("eth_sendRawTransaction", -32000, "bad transaction 0x" + raw.hex()));

        assertThatThrownBy(() -> done(rig.endpoints.sendToAll(raw, Hash256.ZERO)))
                .hasMessageContaining("bad transaction")
                .hasMessageNotContaining("5ec2e7");
    }
}
