package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.OnBooks;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Open locks to our address that a third party makes, each with another party of its own. */
class PartiesFloodTest extends OnBooks {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final PublicKey OURS = new Party(0x21).key;
    private static final PublicKey CUSTOMER = new Party(0x22).key;
    /** As many as are watched. */
    private static final int MANY = 5_000;

    private final HtlcTable table = new HtlcTable(page -> address -> true);

    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create();

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(table);
    }

    private static HtlcTable.Locked lock(int number, PublicKey sender, PublicKey receiver, long amount, int role) {
        return new HtlcTable.Locked(
                new Outpoint(Hash256.ZERO, number),
                new HtlcParams(sender, receiver, Hash256.ZERO, 1_000_000),
                PROFILE.addressOf(sender),
                PROFILE.addressOf(receiver),
                Amount.of(amount),
                role,
                number);
    }

    private static PublicKey stranger(int number) {
        return PublicKey.of(ByteBuffer.allocate(PublicKey.LENGTH).putInt(number).array());
    }

    @Test
    void many_small_locks_hide_neither_party_of_a_larger_one() {
        write(head -> {
            table.write(head, lock(1, OURS, CUSTOMER, 500_000, HtlcTable.SENDER));
            for (int number = 2; number < 2 + MANY; number++) {
                table.write(head, lock(number, stranger(number), OURS, 300, HtlcTable.RECEIVER));
            }
        });
        BlockingQueue<List<Address>> watched = new LinkedBlockingQueue<>();
        Sightings sightings = new Sightings(
                file,
                Stub.of(IntentStore.class, call -> CompletableFuture.completedFuture(List.of())),
                null,
                Runnable::run);
        FollowedTip tip = new FollowedTip(new BlockPlace(MANY + 2L, Hash256.ZERO), 0);

        kit.spawn(HtlcIndex.create(new HtlcWatch(
                PROFILE,
                file,
                () -> Optional.of(tip),
                sightings,
                null,
                null,
                new HtlcWatch.HtlcMetrics(new SimpleMeterRegistry()),
                subscriber -> {},
                watched::add,
                false)));

        Await.until("the parties are known", () -> !watched.isEmpty());
        assertThat(watched.remove()).hasSize(MANY).startsWith(PROFILE.addressOf(OURS), PROFILE.addressOf(CUSTOMER));
    }
}
