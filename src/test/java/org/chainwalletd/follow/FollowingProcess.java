package org.chainwalletd.follow;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Await;

/**
 * Process that follows a {@link FollowingStory} until it is killed. Prints a line with a number for each tip reached, and {@code stuck} when its
 * books can no longer be written. Sometimes it rescans the chain. Arguments: folder, seed, number of steps, first step.
 */
final class FollowingProcess {
    private static final int RESCAN_EVERY = 5;

    private FollowingProcess() {}

    public static void main(String[] args) {
        try {
            follow(args);
        } finally {
            // Actors would keep the process alive, and the test waiting.
            Runtime.getRuntime().halt(0);
        }
    }

    private static void follow(String[] args) {
        int steps = Integer.parseInt(args[2]);
        FollowingStory story = new FollowingStory(Long.parseLong(args[1]), steps);
        ExecutorService executor = Executors.newFixedThreadPool(2);
        ModelNode node = new ModelNode(story.chain(), executor);
        int step = Integer.parseInt(args[3]);
        node.tip(story.tips().get(step));
        ModelDaemon daemon = new ModelDaemon(
                Path.of(args[0]), story.owned(), List.of(node), node.client(), ActorTestKit.create(), executor);
        while (step < steps) {
            ModelBlock tip = story.tips().get(step);
            node.tip(tip);
            if (step % RESCAN_EVERY == 0) {
                daemon.follower().rescan(1);
            }
            if (!isReached(daemon, tip.id())) {
                System.out.println("stuck");
                return;
            }
            System.out.println(step++);
        }
    }

    /** Returns false if the books cannot be written. */
    private static boolean isReached(ModelDaemon daemon, Hash256 tip) {
        AtomicBoolean stuck = new AtomicBoolean();
        Await.until("the tip is reached, or nothing can be written", () -> {
            if (stuck.get() || isAt(daemon, tip)) {
                return true;
            }
            daemon.follower().nudge();
            daemon.books().tryToWrite().whenComplete((done, failure) -> stuck.compareAndSet(false, failure != null));
            return false;
        });
        return isAt(daemon, tip);
    }

    private static boolean isAt(ModelDaemon daemon, Hash256 tip) {
        Optional<FollowedTip> now = daemon.follower().tip();
        return now.isPresent() && now.get().place().blockId().equals(tip);
    }
}
