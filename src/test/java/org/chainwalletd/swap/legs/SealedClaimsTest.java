package org.chainwalletd.swap.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.spend.OwnPayment;
import org.chainwalletd.spend.SealedClaims;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.engine.SwapJournal;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Traces;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A swap's claim contains its secret before any node has seen it: in the store it is sealed, and is read back unchanged. */
public class SealedClaimsTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final byte[] SECRET = Hash256.sha256(new byte[] {77}).toArray();

    private static final Address OURS = PROFILE.addressOf(Sample.OUR_KEY);

    @TempDir
    Path folder;

    private final Traces traces = new Traces().bytes("secret", SECRET);

    private static Store sealing(Store store) {
        return Await.result(SealedClaims.open(
                store,
                like -> CompletableFuture.completedFuture(TestSeals.of(like)),
                PROFILE,
                ForkJoinPool.commonPool()));
    }

    private static Intent claim(int n, String token) {
        Outpoint lock = new Outpoint(Hash256.sha256(new byte[] {(byte) n}), 0);
        Transaction claim = Transaction.unsigned(List.of(lock), List.of(TxOutput.toAddress(OURS, Amount.of(900))))
                .withWitnesses(List.of(HtlcWitness.claim(SECRET, new byte[64])));
        return new Intent(
                TransactionCodec.txId(PROFILE, claim),
                "htlc_claim",
                OURS,
                Bytes.wrap(TransactionCodec.encode(claim)),
                List.of(new Coin(lock, Amount.of(1_000))),
                7,
                OptionalInt.empty(),
                Optional.of(new TokenBinding(token, Hash256.ZERO)),
                Amount.ZERO,
                1_000,
                Intent.Progress.prepared(1_000));
    }

    private static String ofSwap(int n) {
        return ChainOwnLeg.SwapTokens.claim("swap-" + n, new Outpoint(Hash256.ZERO, n), 1);
    }

    /** Journals a swap, as there is one for every claim. */
    private static void swap(Store store) {
        try (SealedRecords seals = TestSeals.of(Optional.empty());
                SecretBytes secret = SecretBytes.copyOf(Sample.SECRET)) {
            Await.result(new SwapJournal(store.swaps(), seals, ForkJoinPool.commonPool())
                    .add(Sample.row(1, Direction.NATIVE_TO_CHAIN), secret));
        }
    }

    @Test
    void the_claim_of_a_swap_is_in_no_file_in_clear_and_comes_back_after_a_restart() throws Exception {
        Intent claim = claim(1, ofSwap(1));
        try (Store store = sealing(SqliteStore.open(folder))) {
            assertThat(Await.result(store.intents().open(claim, 0))).isInstanceOf(Opening.Opened.class);
            assertThat(Await.result(store.intents().find(claim.txId()))).contains(claim);
            assertThat(traces.under(folder))
                    .as("while it is open, with its log")
                    .isEmpty();
        }
        assertThat(traces.under(folder)).isEmpty();
        try (Store store = sealing(SqliteStore.open(folder))) {
            assertThat(Await.result(store.receipts().find(ofSwap(1), 0))).contains(claim);
            assertThat(Await.result(store.intents().inFlight())).containsExactly(claim);
            assertThat(Await.result(store.intents().findForCertain(claim.txId())))
                    .contains(claim);
            assertThat(Await.result(store.intents().openSpendOf(OURS))).contains(claim.txId());
            assertThat(Await.result(store.intents().open(claim, 0)).isThere(claim))
                    .isTrue();
        }
    }

    @Test
    void the_claim_of_a_swap_is_reported_without_its_secret_also_when_its_row_is_forgotten() throws Exception {
        Intent claim = claim(1, ofSwap(1))
                .with(new Intent.Details(Optional.empty(), Optional.empty(), Optional.of(Amount.of(100))));
        int derived = TestSeals.derivations();
        try (Store store = sealing(SqliteStore.open(folder))) {
            Await.result(store.intents().open(claim, 0));
            int opened = TestSeals.derivations();
            assertIsToldWithoutSecret(store);
            Await.result(store.intents()
                    .confirm(claim.txId(), IntentState.PREPARED, new BlockPlace(8, Hash256.ZERO), 2_000));
            Await.result(store.intents().bury(List.of(claim.txId())));
            assertThat(Await.result(store.intents().forget(3_000, 10, OwnPayment::kept)))
                    .isEqualTo(1);
            assertThat(Await.result(store.intents().find(claim.txId()))).isEmpty();
            assertIsToldWithoutSecret(store);
            assertThat(TestSeals.derivations()).as("nothing was opened").isEqualTo(opened);
            assertThat(opened).isGreaterThanOrEqualTo(derived);
        }
        assertThat(traces.under(folder)).isEmpty();
    }

    private static void assertIsToldWithoutSecret(Store store) {
        OwnPayment told =
                OwnPayment.of(Await.result(store.history().after(0, 10)).get(0));
        assertThat(told.amounts().amount()).contains(Amount.of(900));
        assertThat(told.amounts().fee()).contains(Amount.of(100));
        assertThat(told.from()).contains(OURS);
        assertThat(told.toString()).doesNotContain(Bytes.wrap(SECRET).hex());
    }

    /** A caller's own claim with the caller's own preimage is not sealed. */
    @Test
    void other_spends_are_kept_as_they_are_and_cost_no_key() {
        Intent claim = claim(2, "a-caller's");
        int derived = TestSeals.derivations();
        try (SqliteStore plain = SqliteStore.open(folder)) {
            Store store = sealing(plain);
            Await.result(store.intents().open(claim, 0));
            assertThat(Await.result(plain.intents().find(claim.txId()))).contains(claim);
            assertThat(Await.result(store.intents().inFlight())).containsExactly(claim);
        }
        assertThat(TestSeals.derivations()).isEqualTo(derived);
    }

    @Test
    void what_an_earlier_release_has_left_in_clear_is_sealed_and_overwritten_at_the_start() throws Exception {
        Intent claim = claim(1, ofSwap(1));
        try (SqliteStore earlier = SqliteStore.open(folder)) {
            swap(earlier);
            Await.result(earlier.intents().open(claim, 0));
        }
        assertThat(traces.under(folder)).isNotEmpty();
        sealing(SqliteStore.open(folder)).close();
        assertThat(traces.under(folder)).isEmpty();
        try (Store store = sealing(SqliteStore.open(folder))) {
            assertThat(Await.result(store.intents().find(claim.txId()))).contains(claim);
        }
    }

    @Test
    void many_claims_in_clear_are_sealed_a_few_at_a_time() {
        try (SqliteStore plain = SqliteStore.open(folder)) {
            swap(plain);
            for (int n = 1; n <= 70; n++) {
                Await.result(plain.intents().open(claim(n, ofSwap(n)), 0));
            }
            Store store = sealing(plain);
            assertThat(Await.result(plain.intents().inFlight())).hasSize(70).allMatch(Intent::isSealed);
            assertThat(Await.result(store.intents().inFlight())).contains(claim(70, ofSwap(70)));
        }
    }

    @Test
    void a_claim_that_stands_in_the_row_of_another_one_is_refused() {
        try (SqliteStore plain = SqliteStore.open(folder)) {
            Store store = sealing(plain);
            Intent one = claim(1, ofSwap(1));
            Intent other = claim(2, ofSwap(2));
            Await.result(store.intents().open(one, 0));
            Await.result(store.intents().open(other, 0));
            Bytes sealed =
                    Await.result(plain.intents().find(one.txId())).orElseThrow().transaction();
            Await.result(plain.intents().seal(other.txId(), sealed));
            assertThatThrownBy(() -> Await.result(store.intents().find(other.txId())))
                    .hasMessageContaining("another transaction");
        }
    }
}
