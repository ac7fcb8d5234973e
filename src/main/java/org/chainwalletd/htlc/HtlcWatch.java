package org.chainwalletd.htlc;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.HtlcRow;

/**
 * What {@link HtlcIndex} works with.
 *
 * @param subscribe makes an actor hear of the chain
 * @param autoReclaim whether own locks past their timeout are taken back without being asked
 */
public record HtlcWatch(
        ChainProfile profile,
        Books books,
        Supplier<Optional<FollowedTip>> tip,
        Sightings sightings,
        LostLocks lost,
        HtlcSpends spends,
        HtlcMetrics metrics,
        Consumer<ActorRef<FollowEvent>> subscribe,
        boolean autoReclaim) {
    /** The same request for the same lock, whenever it is made. */
    ReclaimRequest reclaimOf(HtlcRow lock) {
        return new ReclaimRequest(
                profile.addressOf(lock.params().sender()),
                lock.outpoint(),
                lock.params().receiver(),
                lock.params().hashLock(),
                lock.params().timeoutHeight(),
                Optional.empty(),
                Optional.of("auto-reclaim-" + lock.outpoint()));
    }
}
