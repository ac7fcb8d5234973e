package org.chainwalletd.boot;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.http.ReadinessCheck;

/** What keeps answers from the books from being those of now: no block yet, a lag above the bound, nodes that differ. A rescan does not. */
final class FollowerReadiness implements ReadinessCheck {
    private final Follower follower;
    private final long maxLag;
    private final Clock clock;

    FollowerReadiness(Follower follower, long maxLag, Clock clock) {
        this.follower = follower;
        this.maxLag = maxLag;
        this.clock = clock;
    }

    @Override
    public Optional<String> missing() {
        FollowStatus status = follower.status();
        List<String> complaints = new ArrayList<>(status.complaints());
        if (status.tip().isEmpty()) {
            complaints.add("no block is followed yet");
        }
        if (status.lag() > maxLag) {
            complaints.add("the follower is " + status.lag() + " blocks behind the node");
        }
        status.tip().filter(tip -> status.isAged(clock.instant())).ifPresent(tip -> complaints.add(aged(tip)));
        return complaints.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", complaints));
    }

    private String aged(FollowedTip tip) {
        return "the newest block is " + (clock.instant().getEpochSecond() - tip.timestamp()) + " s old";
    }
}
