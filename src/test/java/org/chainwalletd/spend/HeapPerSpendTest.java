package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.CoinHolds.Stage;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.testkit.RetainedBytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Memory used per spend, counted object by object instead of measured: from its block to its burial, and after that. At 50 transfers per
 * second there are 180,000 unburied spends, and 4.3 million per day.
 */
@Tag("long")
class HeapPerSpendTest {
    private static final int SPENDS = 10_000;
    private static final int PER_BLOCK = 500;
    private static final int LOOK = 2_000;
    private static final long GOAL = 200;

    private final AtomicInteger count = new AtomicInteger();

    private static Hash256 id(int kind, int number) {
        return Hash256.sha256(ByteBuffer.allocate(8).putInt(kind).putInt(number).array());
    }

    private static Intent intent(int number, int inputs) {
        return new Intent(
                id(1, number),
                "transfer",
                new TestKeys(SpendHarness.PROFILE).add(1),
                Bytes.wrap(new byte[300]),
                IntStream.range(0, inputs)
                        .mapToObj(input -> new Coin(new Outpoint(id(2 + input, number), 1), Amount.of(1_000)))
                        .toList(),
                1,
                OptionalInt.of(1),
                Optional.empty(),
                Amount.of(500),
                0,
                new Intent.Progress(IntentState.ACCEPTED, "", 0));
    }

    /** Separate objects for each block, as when a block arrives. */
    private static BlockPlace place(int number) {
        return new BlockPlace(number / PER_BLOCK, id(9, number / PER_BLOCK));
    }

    /** Checked repeatedly while the tables grow: they are emptiest right after growing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void an_unburied_spend_keeps_less_than_200_bytes_and_a_buried_one_nothing(int inputs) {
        CoinHolds coins = new CoinHolds(new AtomicInteger());
        UnburiedSpends spends = new UnburiedSpends(List.of(), count);
        long empty = RetainedBytes.of(coins, spends);
        for (int i = 0; i < SPENDS; i++) {
            Intent intent = intent(i, inputs);
            Owner owner = new Owner.Payment(intent.txId());
            coins.holdFree(owner, Stage.IN_FLIGHT, intent.inputs());
            ConfirmedSpend confirmed = ConfirmedSpend.of(intent, place(i));
            coins.spent(confirmed.spend());
            spends.add(confirmed);
            if ((i + 1) % LOOK == 0) {
                spends.inDoubt().forEach(spends::proven);
                assertThat((RetainedBytes.of(coins, spends) - empty) / (i + 1))
                        .as("each of %d", i + 1)
                        .isLessThan(GOAL);
            }
        }

        for (int i = 0; i < SPENDS; i++) {
            spends.remove(id(1, i));
            coins.release(new Owner.Payment(id(1, i)));
        }
        // The map of spends in flight never shrinks.
        assertThat(RetainedBytes.of(coins, spends) - empty).isLessThan(SPENDS);
    }
}
