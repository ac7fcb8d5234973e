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
 * Keeps the node of this daemon together with those of the others. They find each other in the database: the first one begins a gathering, which has a
 * number, the others join those who belong to it. A node that has ended, or belongs to another gathering than the newest, is begun anew after a pause.
 * Nothing here has an influence on the daemon but on its speed.
 */
public final class Gatherer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gatherer.class);
    private static final Duration LOOKED_AT = Duration.ofMillis(500);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** Time for which joining may take, and daemons of one gathering may not know each other. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Time for which the clock of the database is known after it was read. */
    private static final Duration KNOWN = Duration.ofSeconds(10);

    private static final Duration LEAVING = Duration.ofSeconds(5);
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final Settings.Cluster place;
    private final PostgresPeers peers;
    private final Node.Duties duties;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "gathering");
        made.setDaemon(true);
        return made;
    });
    /** Null while there is none. */
    private volatile Node node;

    /** Number of the gathering to which the node belongs; 0 as long as it belongs to none. */
    private volatile long gathered;

    /** The clock of the database as it was read. */
    private volatile Clocks clocks = new Clocks(0, System.nanoTime() - KNOWN.toNanos());

    /** State of the thread. */
    private boolean told;

    private boolean complained;
    private long joining;
    private long distrusted;
    private long notBefore = System.nanoTime();
    /** Monotonic time since when it is joining, or others of its gathering are not seen. */
    private long since;

    private boolean strangers;

    /** The clock of the database and this daemon's monotonic one at the same moment. */
    private record Clocks(long millis, long nanos) {}

    private Gatherer(Settings.Cluster place, PostgresPeers peers, Node.Duties duties) {
        this.place = place;
        this.peers = peers;
        this.duties = duties;
    }

    /** Begins; the node comes later. */
    public static Gatherer start(Settings.Cluster place, PostgresPeers peers, Node.Duties duties) {
        Gatherer gatherer = new Gatherer(place, peers, duties);
        gatherer.thread.scheduleWithFixedDelay(gatherer::look, 0, LOOKED_AT.toMillis(), TimeUnit.MILLISECONDS);
        return gatherer;
    }

    /** Number of nodes that are reachable, this one's included; 0 while it is not with the others. */
    public int members() {
        Node now = node;
        return now == null || gathered == 0 || now.hasEnded() ? 0 : now.reachable();
    }

    /** Returns the time by the clock of the database, milliseconds since 1970; empty when that was not read lately. */
    public OptionalLong millis() {
        Clocks read = clocks;
        long passed = System.nanoTime() - read.nanos();
        return passed < KNOWN.toNanos()
                ? OptionalLong.of(read.millis() + TimeUnit.NANOSECONDS.toMillis(passed))
                : OptionalLong.empty();
    }

    /** Returns the node as it is now; it may end at any time. */
    public Optional<Node> node() {
        return Optional.ofNullable(node);
    }

    /** Hints at something new, see {@link Node#hint}. */
    public void hint(Node.Hint hint) {
        Node now = node;
        if (now != null) {
            now.hint(hint);
        }
    }

    /** Hands a call over, see {@link Node#hand}. */
    public CompletionStage<Node.Answer> hand(Node.Call call) {
        Node now = node;
        return now == null || gathered == 0
                ? CompletableFuture.completedFuture(new Node.Answer.NotBegun())
                : now.hand(call);
    }

    private void look() {
        try {
            if (node == null) {
                begin();
            } else if (node.hasEnded()) {
                LOG.warn("the connections with the other daemons of the database have ended; they are begun anew");
                forget();
            }
            if (node != null) {
                meet();
            }
        } catch (StoreException e) {
            LOG.debug("the other daemons are not seen: {}", e.getMessage());
        } catch (RuntimeException | LinkageError e) {
            if (!complained) {
                LOG.warn(
                        "no connections with the other daemons of the database; calls and payments go on without them",
                        e);
            }
            complained = true;
            again();
        }
    }

    private void begin() {
        if (System.nanoTime() - notBefore >= 0) {
            node = Nodes.begin(place, duties);
            LOG.debug("node {} listens", node.address());
        }
    }

    private void meet() {
        if (!told) {
            peers.tellNode(node.address());
            told = true;
        }
        // Before it is read: the clock seems rather late than early then, and calls older than they are.
        long asked = System.nanoTime();
        PostgresPeers.Gathering now = peers.read();
        clocks = new Clocks(now.millis(), asked);
        if (gathered > 0) {
            stay(now);
        } else if (joining > 0) {
            arrive(now);
        } else {
            gather(now);
        }
    }

    private void gather(PostgresPeers.Gathering now) {
        boolean anew = now.number() > 0 && now.number() == distrusted;
        List<String> there = anew ? List.of() : addresses(now);
        since = System.nanoTime();
        if (!there.isEmpty()) {
            node.join(there);
            joining = now.number();
        } else if (peers.found(now.number(), node.address(), anew)) {
            node.join(List.of());
            joining = now.number() + 1;
        }
    }

    /** Addresses of those that belong to the gathering or, while nobody does, of its founder. */
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

    private void arrive(PostgresPeers.Gathering now) {
        if (joining != now.number()) {
            again();
        } else if (node.isUp()) {
            peers.tellGathered(joining);
            gathered = joining;
            strangers = false;
            complained = false;
            LOG.info("connected with the other daemons of the database, at {}", node.address());
        } else if (hasPassed(PATIENCE)) {
            if (!complained) {
                LOG.warn(
                        "node {} has not come to the others of the database at {}: see that each daemon reaches the --cluster-bind of each"
                                + " other one, and that their certificates are of one --cluster-ca and have a name in common. Calls and payments"
                                + " go on without",
                        node.address(),
                        now.peers().stream().map(PostgresPeers.Peer::node).toList());
            }
            complained = true;
            if (now.peers().stream().noneMatch(peer -> peer.gathered() == now.number())) {
                distrusted = now.number();
            }
            again();
        }
    }

    private void stay(PostgresPeers.Gathering now) {
        Set<String> members = node.members();
        boolean some =
                now.peers().stream().anyMatch(peer -> peer.gathered() == gathered && !members.contains(peer.node()));
        if (some && !strangers) {
            since = System.nanoTime();
        }
        strangers = some;
        if (now.number() != gathered) {
            LOG.info("the other daemons of the database have gathered anew; this one joins them");
            again();
        } else if (strangers && hasPassed(PATIENCE)) {
            LOG.warn("daemons of the database do not know each other; they gather anew");
            distrusted = gathered;
            again();
        }
    }

    private boolean hasPassed(Duration time) {
        return System.nanoTime() - since >= time.toNanos();
    }

    private void again() {
        Node before = node;
        gathered = 0;
        if (before != null) {
            before.close(LEAVING);
        }
        forget();
    }

    private void forget() {
        node = null;
        gathered = 0;
        joining = 0;
        notBefore = System.nanoTime() + PAUSE.toNanos();
        if (told) {
            told = false;
            try {
                peers.tellNode("");
            } catch (StoreException e) {
                LOG.debug("the end of the node is not told: {}", e.getMessage());
            }
        }
    }

    /** Leaves the others. Blocks. */
    @Override
    public void close() {
        thread.execute(() -> {
            Node last = node;
            if (last != null) {
                last.close(CLOSING);
            }
            forget();
            peers.close();
        });
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LEAVING.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("the connections with the other daemons did not end in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
