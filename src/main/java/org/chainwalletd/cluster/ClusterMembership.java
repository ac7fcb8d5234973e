package org.chainwalletd.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.config.Settings;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.postgres.PostgresPeers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this daemon's node in one cluster with the nodes of the other daemons. They find each other through the database: the first node founds a
 * cluster (a "gathering", which has a number), and the others join its members. A node that has ended, or that belongs to an older gathering than
 * the newest, is closed and started again after a pause. The connections only affect speed; the daemon works without them.
 */
public final class ClusterMembership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);
    private static final Duration RESTART_DELAY = Duration.ofSeconds(1);
    /** Time that joining may take, and for which daemons of one gathering may fail to see each other. */
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(20);

    /** Time for which a reading of the database's clock is used. */
    private static final Duration CLOCK_VALIDITY = Duration.ofSeconds(10);

    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Settings.Cluster settings;
    private final PostgresPeers peers;
    private final Node.Duties duties;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "gathering");
        made.setDaemon(true);
        return made;
    });
    /** Null while there is no node. */
    private volatile Node node;

    /** Number of the gathering that the node belongs to; 0 while it belongs to none. */
    private volatile long gathered;

    /** Last reading of the database's clock. */
    private volatile Clocks clocks = new Clocks(0, System.nanoTime() - CLOCK_VALIDITY.toNanos());

    /** State confined to the thread. */
    private boolean registered;

    private boolean warned;
    private long joining;
    private long failedGathering;
    private long restartNanos = System.nanoTime();
    /** Monotonic time at which joining began, or at which members of its gathering were first not seen. */
    private long sinceNanos;

    private boolean othersMissing;

    /** The database's clock and this daemon's monotonic clock at the same moment. */
    private record Clocks(long millis, long nanos) {}

    private ClusterMembership(Settings.Cluster settings, PostgresPeers peers, Node.Duties duties) {
        this.settings = settings;
        this.peers = peers;
        this.duties = duties;
    }

    /** Starts the thread; the node is created later. */
    public static ClusterMembership start(Settings.Cluster settings, PostgresPeers peers, Node.Duties duties) {
        ClusterMembership membership = new ClusterMembership(settings, peers, duties);
        membership.thread.scheduleWithFixedDelay(
                membership::check, 0, CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        return membership;
    }

    /** Returns the number of reachable nodes, including this one; 0 while it has not joined the others. */
    public int members() {
        Node now = node;
        return now == null || gathered == 0 || now.hasEnded() ? 0 : now.reachable();
    }

    /** Returns the time by the clock of the database, milliseconds since 1970; empty when it was not read recently. */
    public OptionalLong millis() {
        Clocks read = clocks;
        long passed = System.nanoTime() - read.nanos();
        return passed < CLOCK_VALIDITY.toNanos()
                ? OptionalLong.of(read.millis() + TimeUnit.NANOSECONDS.toMillis(passed))
                : OptionalLong.empty();
    }

    /** Returns the current node, which may end at any time. */
    public Optional<Node> node() {
        return Optional.ofNullable(node);
    }

    /** Sends a hint, see {@link Node#hint}. */
    public void hint(Node.Hint hint) {
        Node now = node;
        if (now != null) {
            now.hint(hint);
        }
    }

    /** Forwards a call, see {@link Node#hand}. */
    public CompletionStage<Node.Answer> hand(Node.Call call) {
        Node now = node;
        return now == null || gathered == 0
                ? CompletableFuture.completedFuture(new Node.Answer.NotBegun())
                : now.hand(call);
    }

    private void check() {
        try {
            if (node == null) {
                startNode();
            } else if (node.hasEnded()) {
                LOG.warn("the connections with the other daemons of the database have ended; reconnecting");
                reset();
            }
            if (node != null) {
                synchronise();
            }
        } catch (StoreException e) {
            LOG.debug("cannot read the addresses of the other daemons: {}", e.getMessage());
        } catch (RuntimeException | LinkageError e) {
            if (!warned) {
                LOG.warn(
                        "no connections with the other daemons of the database; calls and payments continue without them",
                        e);
            }
            warned = true;
            leave();
        }
    }

    private void startNode() {
        if (System.nanoTime() - restartNanos >= 0) {
            node = Nodes.start(settings, duties);
            LOG.debug("node {} listens", node.address());
        }
    }

    private void synchronise() {
        if (!registered) {
            peers.tellNode(node.address());
            registered = true;
        }
        // Taken before the read, so that the derived time is never behind the database's clock: a receiver sees calls
        // as older rather than younger.
        long beforeRead = System.nanoTime();
        PostgresPeers.Gathering now = peers.read();
        clocks = new Clocks(now.millis(), beforeRead);
        if (gathered > 0) {
            checkMembers(now);
        } else if (joining > 0) {
            checkJoined(now);
        } else {
            foundOrJoin(now);
        }
    }

    private void foundOrJoin(PostgresPeers.Gathering now) {
        boolean replace = now.number() > 0 && now.number() == failedGathering;
        List<String> addresses = replace ? List.of() : addresses(now);
        sinceNanos = System.nanoTime();
        if (!addresses.isEmpty()) {
            node.join(addresses);
            joining = now.number();
        } else if (peers.found(now.number(), node.address(), replace)) {
            node.join(List.of());
            joining = now.number() + 1;
        }
    }

    /** Addresses of the members of the gathering, or of its founder while it has no member. */
    private static List<String> addresses(PostgresPeers.Gathering now) {
        if (now.number() == 0) {
            return List.of();
        }
        List<String> members = now.peers().stream()
                .filter(peer -> peer.gathered() == now.number())
                .map(PostgresPeers.Peer::node)
                .toList();
        return members.isEmpty()
                ? now.peers().stream()
                        .map(PostgresPeers.Peer::node)
                        .filter(now.founder()::equals)
                        .toList()
                : members;
    }

    private void checkJoined(PostgresPeers.Gathering now) {
        if (joining != now.number()) {
            leave();
        } else if (node.isUp()) {
            peers.tellGathered(joining);
            gathered = joining;
            othersMissing = false;
            warned = false;
            LOG.info("connected with the other daemons of the database, at {}", node.address());
        } else if (hasPassed(JOIN_TIMEOUT)) {
            if (!warned) {
                LOG.warn(
                        "node {} could not join the other daemons of the database at {}: check that each daemon can reach the"
                                + " --cluster-bind of every other one, and that their certificates are issued by one --cluster-ca and have"
                                + " a name in common. Calls and payments continue without the connections",
                        node.address(),
                        now.peers().stream().map(PostgresPeers.Peer::node).toList());
            }
            warned = true;
            if (now.peers().stream().noneMatch(peer -> peer.gathered() == now.number())) {
                failedGathering = now.number();
            }
            leave();
        }
    }

    private void checkMembers(PostgresPeers.Gathering now) {
        Set<String> members = node.members();
        boolean missing =
                now.peers().stream().anyMatch(peer -> peer.gathered() == gathered && !members.contains(peer.node()));
        if (missing && !othersMissing) {
            sinceNanos = System.nanoTime();
        }
        othersMissing = missing;
        if (now.number() != gathered) {
            LOG.info("the other daemons of the database have formed a new cluster; joining it");
            leave();
        } else if (othersMissing && hasPassed(JOIN_TIMEOUT)) {
            LOG.warn("some daemons of the database are not in one cluster; forming a new one");
            failedGathering = gathered;
            leave();
        }
    }

    private boolean hasPassed(Duration time) {
        return System.nanoTime() - sinceNanos >= time.toNanos();
    }

    private void leave() {
        Node before = node;
        gathered = 0;
        if (before != null) {
            before.close(LEAVE_TIMEOUT);
        }
        reset();
    }

    private void reset() {
        node = null;
        gathered = 0;
        joining = 0;
        restartNanos = System.nanoTime() + RESTART_DELAY.toNanos();
        if (registered) {
            registered = false;
            try {
                peers.tellNode("");
            } catch (StoreException e) {
                LOG.debug("the end of the node could not be recorded: {}", e.getMessage());
            }
        }
    }

    /** Leaves the cluster and stops the thread. Blocks. */
    @Override
    public void close() {
        thread.execute(() -> {
            Node last = node;
            if (last != null) {
                last.close(CLOSE_TIMEOUT);
            }
            reset();
            peers.close();
        });
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LEAVE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("the connections with the other daemons did not end in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
