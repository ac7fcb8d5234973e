package org.chainwalletd.rpc.method;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.U64;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** Pages of {@code list_spends} with the largest possible spends: each page fits into a mebibyte, and no spend is missing. */
class OwnPaymentMethodsTest {
    private static final int SPENDS = 1_000;
    private static final Address PAYER = Address.parse("a1".repeat(32));
    private static final Address SHOP = Address.parse("b2".repeat(32));
    /** Character that takes one byte, and six in JSON. */
    private static final String LONGEST_MEMO = "\u0001".repeat(256);

    private final List<PastSpend> spends = new ArrayList<>();
    private final CallRig rig = new CallRig(
            new OwnPaymentMethods(this::history, this::heights, () -> OptionalLong.of(Integer.MAX_VALUE), Runnable::run)
                    .all());

    private SpendHistory history() {
        return Stub.of(
                SpendHistory.class,
                call -> CompletableFuture.completedFuture(spends.stream()
                        .filter(spend -> spend.number() > (Long) call.arguments()[0])
                        .limit((Integer) call.arguments()[1])
                        .toList()));
    }

    private CompletionStage<List<OptionalLong>> heights(List<LedgerBooks.Sought> transactions) {
        return CompletableFuture.completedFuture(
                transactions.stream().map(sought -> OptionalLong.empty()).toList());
    }

    private static PastSpend largest(int number) {
        Coin coin =
                new Coin(new Outpoint(Hash256.sha256(new byte[] {(byte) number, (byte) (number >> 8)}), 0), Amount.MAX);
        List<TxOutput> outputs =
                new ArrayList<>(Collections.nCopies(16, TxOutput.toAddress(SHOP, Amount.of(1L << 59))));
        outputs.add(TxOutput.toAddress(PAYER, Amount.of(1L << 60)));
        PublicKey key = PublicKey.of(Ed25519.publicKey(new byte[32]));
        Transaction tx = Transaction.unsigned(List.of(coin.outpoint()), outputs)
                .withWitnesses(List.of(Witness.plain(key, new byte[64])));
        Hash256 txId = TransactionCodec.txId(Party.PROFILE, tx);
        long at = 1_800_000_000_000L + number;
        Intent.Details details =
                new Intent.Details(Optional.of("t".repeat(64)), Optional.of(LONGEST_MEMO), Optional.of(Amount.MAX));
        TokenBinding token = new TokenBinding("\"".repeat(120) + String.format("%08d", number), Hash256.ZERO);
        Intent intent = new Intent(
                txId,
                "transfer",
                PAYER,
                Bytes.wrap(TransactionCodec.encode(tx)),
                List.of(coin),
                100,
                OptionalInt.of(16),
                Optional.of(token),
                Amount.MAX,
                at,
                Intent.Progress.prepared(at),
                details);
        return new PastSpend(
                Long.MAX_VALUE - SPENDS + number,
                txId,
                "transfer",
                IntentState.CONFIRMED,
                Optional.of(PAYER),
                Optional.of(token.token()),
                OptionalLong.of(at),
                at,
                OptionalLong.of(number),
                details,
                new SpendHistory.Told.Whole(intent));
    }

    @Test
    void pages_of_the_largest_spends_fit_in_a_megabyte_and_miss_and_repeat_none() {
        for (int number = 0; number < SPENDS; number++) {
            spends.add(largest(number));
        }
        List<Long> told = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        JsonNode page = rig.result("list_spends", Map.of("limit", SPENDS));
        while (true) {
            assertThat(page.toString().getBytes(UTF_8).length).isLessThanOrEqualTo(1 << 20);
            sizes.add(page.get("spends").size());
            page.get("spends").forEach(spend -> {
                assertThat(spend.get("outputs")).hasSize(17);
                assertThat(spend.get("memo").asText()).isEqualTo(LONGEST_MEMO);
                told.add(spend.get("spend_id").longValue());
            });
            if (!page.get("more").asBoolean()) {
                break;
            }
            page = rig.result(
                    "list_spends",
                    Map.of("limit", SPENDS, "cursor", page.get("cursor").asText()));
        }
        assertThat(told)
                .containsExactlyElementsOf(
                        spends.stream().map(PastSpend::number).toList());
        assertThat(sizes.size()).isGreaterThan(2);
        assertThat(sizes.get(0)).isGreaterThan(100);
    }

    @Test
    void a_time_beyond_every_clock_is_later_than_all_spends() {
        spends.add(largest(1));
        BigInteger far = BigInteger.ONE.shiftLeft(63);

        assertThat(rig.result("list_spends", Map.of("since", far)).get("spends"))
                .isEmpty();
        assertThat(rig.result("list_spends", Map.of("until", far)).get("spends"))
                .hasSize(1);
        assertThat(rig.result("list_spends", Map.of("since", 1, "until", U64.MAX))
                        .get("spends"))
                .hasSize(1);
    }
}
