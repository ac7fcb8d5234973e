package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

class CompactTableTest {
    private final CompactTable<Outpoint, PackedSpend> table = new CompactTable<>(CoinHolds.BY_INPUT);

    private static Hash256 id(int number) {
        return Hash256.sha256(new byte[] {(byte) (number >> 16), (byte) (number >> 8), (byte) number});
    }

    /** Outputs of few transactions, so that many fingerprints are neighbours. */
    private static Coin coin(int number) {
        return new Coin(new Outpoint(id(number / 7), number % 7), Amount.of(number + 1L));
    }

    @Test
    void it_says_the_same_as_a_map_whatever_comes_and_goes() {
        Random random = Seeded.random("compact table");
        Map<Outpoint, PackedSpend> model = new HashMap<>();
        List<PackedSpend> there = new ArrayList<>();
        int coins = 0;
        for (int step = 0; step < 20_000; step++) {
            boolean adds =
                    random.nextInt(step % 4_000 < 2_000 ? 3 : 8) > 1 ? step % 4_000 < 2_000 : random.nextBoolean();
            if (adds || there.isEmpty()) {
                List<Coin> inputs = new ArrayList<>();
                for (int i = 1 + random.nextInt(4); i > 0; i--) {
                    inputs.add(coin(coins++));
                }
                PackedSpend spend = PackedSpend.of(id(1_000_000 + step), inputs);
                there.add(spend);
                table.add(spend);
                inputs.forEach(input -> model.put(input.outpoint(), spend));
            } else {
                PackedSpend spend = there.remove(random.nextInt(there.size()));
                table.remove(spend);
                spend.outpoints().forEach(model::remove);
            }
            Outpoint any = coin(random.nextInt(coins + 1)).outpoint();
            assertThat(table.get(any)).isSameAs(model.get(any));
        }
        assertThat(table.size()).isEqualTo(model.size());
        model.forEach((outpoint, spend) -> assertThat(table.get(outpoint)).isSameAs(spend));
        assertThat(table.elements()).containsExactlyInAnyOrderElementsOf(there);
    }

    @Test
    void what_is_not_there_cannot_be_removed() {
        PackedSpend spend = PackedSpend.of(id(1), List.of(coin(1)));

        assertThatThrownBy(() -> table.remove(spend)).isInstanceOf(IllegalArgumentException.class);
    }
}
