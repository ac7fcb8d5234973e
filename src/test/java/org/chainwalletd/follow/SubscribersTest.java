package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.testkit.typed.javadsl.TestInbox;
import org.apache.pekko.stream.QueueOfferResult;
import org.apache.pekko.stream.javadsl.SourceQueueWithComplete;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.books.BlockRow;
import org.junit.jupiter.api.Test;

class SubscribersTest {
    private static final Hash256 TARGET = id(0x7f);

    private final HeaderChain chain = HeaderChain.of(List.of(row(1), row(2)));
    private final Subscribers subscribers = new Subscribers(Instant.EPOCH);
    private final TestInbox<FollowEvent> subscriber = TestInbox.create();

    /** Records tips published from now on, each with the number of events that the subscriber had received by then. */
    private SeenTips watched() {
        subscribers.publishPosition(chain, Network.DEVNET);
        subscribers.subscribe(subscriber.getRef());
        subscriber.getAllReceived();
        SeenTips tips = new SeenTips(subscriber);
        subscribers.watch(tips);
        return tips;
    }

    @Test
    void a_new_tip_is_seen_before_its_block_is_reported() {
        SeenTips tips = watched();
        chain.append(row(3));

        subscribers.connected(chain, List.of(new Bookkeeping.Entry(block(3), true)));

        assertThat(tips.heights).containsExactly(2L, 3L);
        assertThat(tips.heardBefore).as("events heard when the tip was set").containsExactly(0, 0);
        assertThat(subscriber.getAllReceived()).containsExactly(new FollowEvent.Connected(block(3)));
    }

    @Test
    void the_tip_of_blocks_read_while_catching_up_is_seen_before_they_are_reported() {
        SeenTips tips = watched();
        chain.append(row(3));
        chain.append(row(4));

        // The third block was committed earlier but not published: so the event is not only about the tip's child.
        subscribers.connected(chain, List.of(new Bookkeeping.Entry(block(4), true)));

        assertThat(tips.heardBefore).containsExactly(0, 0);
        assertThat(subscriber.getAllReceived())
                .containsExactly(new FollowEvent.Advanced(3, subscribers.tip().orElseThrow()));
    }

    @Test
    void what_was_reported_and_is_of_the_chain_no_more_is_taken_back_when_another_one_continues() {
        subscribers.publishPosition(HeaderChain.of(List.of(row(1), row(2), row(3), row(4))), Network.DEVNET);
        subscribers.subscribe(subscriber.getRef());
        subscriber.getAllReceived();

        subscribers.publishPosition(
                HeaderChain.of(List.of(row(1), row(2), other(3), other(4), other(5))), Network.DEVNET);

        assertThat(subscriber.getAllReceived())
                .containsExactly(
                        new FollowEvent.Disconnected(row(4).place()),
                        new FollowEvent.Disconnected(row(3).place()),
                        new FollowEvent.Advanced(3, subscribers.tip().orElseThrow()));
        assertThat(subscribers.tip().orElseThrow().place()).isEqualTo(other(5).place());
    }

    @Test
    void a_tip_that_was_told_stays_while_it_is_on_the_chain() {
        subscribers.publishPosition(HeaderChain.of(List.of(row(1), row(2), row(3))), Network.DEVNET);
        subscribers.subscribe(subscriber.getRef());
        subscriber.getAllReceived();
        HeaderChain longer = HeaderChain.of(List.of(row(1), row(2), row(3), row(4)));

        assertThat(subscribers.moveTo(longer, 2, List.of())).isFalse();
        assertThat(subscribers.tip().orElseThrow().height()).isEqualTo(3);
        assertThat(subscribers.moveTo(longer, 4, List.of(block(4)))).isTrue();
        assertThat(subscribers.moveTo(longer, 4, List.of(block(4)))).isFalse();
        assertThat(subscriber.getAllReceived()).containsExactly(new FollowEvent.Connected(block(4)));
    }

    @Test
    void where_the_chain_keeps_no_ids_nothing_is_taken_back() {
        subscribers.publishPosition(HeaderChain.of(List.of(row(1), row(2), row(3))), Network.DEVNET);
        subscribers.subscribe(subscriber.getRef());
        subscriber.getAllReceived();

        subscribers.moveTo(HeaderChain.of(List.of(row(1), row(9))), 9, List.of());

        assertThat(subscriber.getAllReceived())
                .containsExactly(new FollowEvent.Advanced(4, subscribers.tip().orElseThrow()));
    }

    @Test
    void what_is_forgotten_is_taken_back_once() {
        subscribers.publishPosition(chain, Network.DEVNET);
        subscribers.subscribe(subscriber.getRef());
        subscriber.getAllReceived();

        subscribers.forget(chain);
        subscribers.publishPosition(HeaderChain.of(List.of(other(7))), Network.DEVNET);

        assertThat(subscriber.getAllReceived())
                .containsExactly(
                        new FollowEvent.Disconnected(row(2).place()),
                        new FollowEvent.Disconnected(row(1).place()),
                        new FollowEvent.Positioned(subscribers.tip().orElseThrow()));
    }

    private static BlockRow other(int height) {
        return new BlockRow(height, id(height + 50), id(height + 49), 0, TARGET, true);
    }

    private static BlockRow row(int height) {
        return new BlockRow(height, id(height), id(height - 1), height, TARGET, true);
    }

    private static ChainBlock block(int height) {
        BlockHeader header =
                new BlockHeader(BlockHeader.VERSION, height, id(height - 1), height, TARGET, 0, id(0), id(0));
        return new ChainBlock(header, id(height), List.of());
    }

    private static Hash256 id(int last) {
        byte[] bytes = new byte[32];
        bytes[31] = (byte) last;
        return Hash256.of(bytes);
    }

    /** Tip channel that records how many events the subscriber had received when each tip came. */
    private static final class SeenTips implements SourceQueueWithComplete<FollowedTip> {
        final List<Long> heights = new ArrayList<>();
        final List<Integer> heardBefore = new ArrayList<>();
        private final TestInbox<FollowEvent> subscriber;

        SeenTips(TestInbox<FollowEvent> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public CompletionStage<QueueOfferResult> offer(FollowedTip tip) {
            heights.add(tip.height());
            heardBefore.add(subscriber.hasMessages() ? 1 : 0);
            return CompletableFuture.completedFuture(QueueOfferResult.enqueued());
        }

        @Override
        public CompletionStage<Done> watchCompletion() {
            return new CompletableFuture<>();
        }

        @Override
        public void complete() {}

        @Override
        public void fail(Throwable failure) {}
    }
}
