package org.chainwalletd.doctor;

import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.config.Settings;
import org.chainwalletd.node.ChainRules;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeClient.BlockSummary;
import org.chainwalletd.node.NodeClient.NodeInfo;
import org.chainwalletd.node.NodeClient.Tip;

/** Check of each node: reachable, on the expected chain, recent version, with quota left; also compares this machine's clock with the chain's. */
public final class NodeCheck implements Doctor.Check {
    /** Lead of a block's timestamp from which one of the clocks is considered wrong. */
    private static final Duration CLOCK_AHEAD = Duration.ofMinutes(2);

    private static final Duration TIP_OLD = Duration.ofHours(2);

    private final Settings settings;
    private final Function<URI, NodeClient> client;
    private final Duration timeout;
    private final InstantSource clock;

    /**
     * @param client creates a client of a single node
     * @param timeout timeout of each request
     */
    public NodeCheck(Settings settings, Function<URI, NodeClient> client, Duration timeout, InstantSource clock) {
        this.settings = settings;
        this.client = client;
        this.timeout = timeout;
        this.clock = clock;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        for (URI url : settings.node().urls()) {
            examine(url, client.apply(url), findings);
        }
        return findings;
    }

    private void examine(URI url, NodeClient node, List<Finding> findings) {
        String subject = "node " + url;
        Tip tip;
        try {
            tip = answer(node.tip());
        } catch (Unanswered e) {
            findings.add(
                    settings.devnet().isPresent()
                            ? Finding.ok(subject, "is not running; --devnet starts it with the daemon")
                            : Finding.fail(subject, e.getMessage() + "; start the node or correct --node-rpc"));
            return;
        }
        findings.add(Finding.ok(subject, "answers; tip " + Long.toUnsignedString(tip.height()) + " " + tip.blockId()));
        genesis(subject, node, tip.genesisBlockId(), findings);
        version(subject, node, findings);
        quota(subject, node, findings);
        clock(subject, node, tip, findings);
    }

    private void genesis(String subject, NodeClient node, Hash256 reported, List<Finding> findings) {
        Optional<Hash256> expected = settings.identity().genesis().or(this::pinned);
        if (reported == null) {
            findings.add(Finding.warn(
                    subject,
                    "does not report its genesis id (older than 1.13): what chain it is on cannot be checked"));
        } else if (expected.isPresent() && !expected.get().equals(reported)) {
            findings.add(Finding.fail(
                    subject,
                    "is of another chain: its genesis is " + reported + ", ours is " + expected.get()
                            + "; it would not be asked for anything"));
        } else {
            findings.add(Finding.ok(
                    subject, "genesis " + reported + (expected.isPresent() ? ", as expected" : ", would be pinned")));
            rules(subject, node, reported, findings);
        }
    }

    /** Reports facts that prevent the daemon from following the chain, and a genesis that would be trusted on first use. */
    private void rules(String subject, NodeClient node, Hash256 genesis, List<Finding> findings) {
        Settings.ChainIdentity ours = settings.identity();
        try {
            Optional<BlockSummary> first = answer(node.blockAt(0));
            if (first.isEmpty()) {
                findings.add(Finding.fail(subject, "shows no block at height 0: nothing of it would be followed"));
                return;
            }
            ChainRules rules = ChainRules.of(
                    genesis,
                    first.get().header(),
                    new ChainRules.OperatorSettings(ours.genesis().isPresent(), ours.network()),
                    Optional.ofNullable(answer(node.info()).network()).flatMap(Network::ofWord));
            if (rules.network() != Network.DEVNET && ours.genesis().isEmpty()) {
                findings.add(Finding.warn(subject, "its genesis is taken as it is met; name it with --expect-genesis"));
            }
        } catch (ChainRules.Refused e) {
            findings.add(Finding.fail(subject, e.getMessage()));
        } catch (Unanswered e) {
            findings.add(Finding.warn(subject, "does not show its genesis block: " + e.getMessage()));
        }
    }

    private Optional<Hash256> pinned() {
        try {
            return new GenesisFile(settings.datadir()).read();
        } catch (IllegalStateException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    private void version(String subject, NodeClient node, List<Finding> findings) {
        try {
            NodeInfo info = answer(node.info());
            if (info.version() == null) {
                findings.add(Finding.warn(subject, "does not tell its version"));
            } else if (isBefore(info.version(), 1, 12)) {
                findings.add(Finding.warn(
                        subject,
                        "version " + info.version()
                                + " has no push stream (1.12): waits learn of payments only with each block"));
            } else {
                findings.add(Finding.ok(
                        subject,
                        "version " + info.version() + (info.network() == null ? "" : " on " + info.network())));
            }
        } catch (Unanswered e) {
            findings.add(Finding.warn(subject, "does not tell its version: " + e.getMessage()));
        }
    }

    private static boolean isBefore(String version, int major, int minor) {
        String[] parts = version.split("[.-]");
        try {
            int first = Integer.parseInt(parts[0]);
            return first < major || (first == major && parts.length > 1 && Integer.parseInt(parts[1]) < minor);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Queries the balance of an unused address, which shows whether this machine has used up its quota (chain protocol, section 10.3). */
    private void quota(String subject, NodeClient node, List<Finding> findings) {
        try {
            answer(node.balance(Address.of(new byte[Address.LENGTH])));
            findings.add(Finding.ok(subject, "has quota left for balance queries"));
        } catch (Unanswered e) {
            findings.add(Finding.warn(
                    subject,
                    "a balance query was refused: " + e.getMessage() + "; another program here may use up its quota"));
        }
    }

    private void clock(String subject, NodeClient node, Tip tip, List<Finding> findings) {
        Optional<BlockSummary> block;
        try {
            block = answer(node.blockAt(tip.height()));
        } catch (Unanswered e) {
            block = Optional.empty();
        }
        if (block.isEmpty()) {
            findings.add(Finding.warn("clock", "cannot be compared: " + subject + " did not give its best block"));
            return;
        }
        Instant time = Instant.ofEpochSecond(instantSeconds(block.get().timestamp()));
        Duration age = Duration.between(time, clock.instant());
        if (age.plus(CLOCK_AHEAD).isNegative()) {
            findings.add(Finding.fail(
                    "clock",
                    "the best block of " + subject + " is " + text(age.negated())
                            + " in the future: set this machine's clock (NTP)"));
        } else if (age.compareTo(TIP_OLD) > 0) {
            findings.add(Finding.warn(
                    "clock",
                    "the best block of " + subject + " is " + text(age)
                            + " old: the node is not in sync, or this machine's clock is ahead"));
        } else {
            findings.add(Finding.ok("clock", "the best block of " + subject + " is " + text(age) + " old"));
        }
    }

    /** Converts an arbitrary u64 from a node; values that {@link Instant} cannot represent count as far in the future. */
    private static long instantSeconds(long unsigned) {
        return unsigned < 0 ? Instant.MAX.getEpochSecond() : Math.min(unsigned, Instant.MAX.getEpochSecond());
    }

    private static String text(Duration duration) {
        return duration.toHours() >= 1 ? duration.toHours() + " h" : duration.toSeconds() + " s";
    }

    private <T> T answer(CompletionStage<T> question) throws Unanswered {
        try {
            return question.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unanswered("interrupted");
        } catch (ExecutionException e) {
            throw new Unanswered(String.valueOf(e.getCause().getMessage()));
        } catch (TimeoutException e) {
            throw new Unanswered("no answer within " + timeout.toSeconds() + " s");
        }
    }

    private static final class Unanswered extends Exception {
        private static final long serialVersionUID = 1L;

        Unanswered(String message) {
            super(message);
        }
    }
}
