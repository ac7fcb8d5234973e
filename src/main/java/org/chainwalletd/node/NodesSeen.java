package org.chainwalletd.node;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;

/**
 * State of {@link NodeWatch} at one moment: what is known of the chain and of each node. Immutable.
 *
 * @param expected the configured or pinned genesis id
 * @param settings settings of the operator
 */
public record NodesSeen(Optional<Hash256> expected, ChainRules.OperatorSettings settings, List<Seen> nodes) {
    /** Relation of a node's chain to ours. */
    public enum ChainMatch {
        /** The node has not answered yet. */
        UNKNOWN,
        OURS,
        /** An old node that does not report its genesis id. */
        UNNAMED,
        OTHER,
        /** The node reports a malformed genesis id. */
        MALFORMED
    }

    /**
     * Node as last seen.
     *
     * @param answering whether the last check was answered
     * @param genesis last reported genesis id; null if none or malformed
     * @param tip at the last answer; null before
     * @param network {@code mainnet}, {@code testnet}, {@code devnet}; null if not reported
     * @param version null if not reported
     */
    public record Seen(
            String url,
            ChainMatch chain,
            boolean answering,
            Hash256 genesis,
            NodeClient.Tip tip,
            String network,
            String version) {}

    public NodesSeen {
        nodes = List.copyOf(nodes);
    }

    /** Returns whether the operator configured the genesis id. */
    public boolean configured() {
        return settings.genesis();
    }

    /** Returns whether signing is allowed: the genesis id is known and at least one node is of that chain. */
    public boolean maySign() {
        return expected.isPresent() && nodes.stream().anyMatch(this::isAccepted);
    }

    /** Returns whether a node of our chain answered its last check. */
    public boolean isAnswering() {
        return answering() > 0;
    }

    /** Returns the number of nodes of our chain that answered their last check. */
    public int answering() {
        return (int) nodes.stream().filter(this::isAnswering).count();
    }

    /** Returns whether a node is of our chain and answered its last check. */
    public boolean isAnswering(Seen node) {
        return node.answering() && isAccepted(node);
    }

    /** Returns the name of the network: the operator's, else that of the first node of our chain that reports it. */
    public Optional<String> network() {
        return settings.network()
                .map(Network::word)
                .or(() -> nodes.stream()
                        .filter(this::isAccepted)
                        .map(Seen::network)
                        .filter(Objects::nonNull)
                        .findFirst());
    }

    /** Returns the height of the highest tip that a node of our chain last reported. */
    public Optional<Long> tipHeight() {
        return nodes.stream()
                .filter(node -> isAccepted(node) && node.tip() != null)
                .map(node -> node.tip().height())
                .max(Long::compareUnsigned);
    }

    /**
     * Returns the highest tip of the nodes of our chain that answered their last check; of equal ones that of the first node.
     *
     * @param ignored URLs of nodes whose tips are not trusted
     */
    public Optional<NodeClient.Tip> tip(Set<String> ignored) {
        return nodes.stream()
                .filter(node -> isAnswering(node) && node.tip() != null && !ignored.contains(node.url()))
                .map(Seen::tip)
                .reduce((first, other) -> Long.compareUnsigned(other.height(), first.height()) > 0 ? other : first);
    }

    /** Returns the complaint about the nodes' chain, as text; empty if there is none. */
    public Optional<String> complaint() {
        String text =
                nodes.stream().filter(this::isRefused).map(this::complaintAbout).collect(Collectors.joining("; "));
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    /** Returns whether a node is of our chain. A pinned (not configured) id came from an earlier answer: only then may an old node omit it. */
    boolean isAccepted(Seen node) {
        return node.chain() == ChainMatch.OURS
                || node.chain() == ChainMatch.UNNAMED && !configured() && expected.isPresent();
    }

    /** Returns whether the node at {@code url} is known to be of our chain. */
    public boolean isOurs(String url) {
        return nodes.stream().anyMatch(node -> node.url().equals(url) && isAccepted(node));
    }

    /** Returns the objection, as text, to a node that reports {@code genesis} (null: none); empty if there is none. */
    Optional<String> objectionTo(String url, Hash256 genesis) {
        Seen node = new Seen(url, match(expected, genesis), true, genesis, null, null, null);
        return isRefused(node) ? Optional.of(complaintAbout(node)) : Optional.empty();
    }

    /** Compares the genesis id that a node reports (null: none) with ours. */
    static ChainMatch match(Optional<Hash256> expected, Hash256 genesis) {
        if (genesis == null) {
            return ChainMatch.UNNAMED;
        }
        return expected.map(ours -> ours.equals(genesis) ? ChainMatch.OURS : ChainMatch.OTHER)
                .orElse(ChainMatch.UNKNOWN);
    }

    /** Returns whether {@code node} is known not to be of the chain that is signed for. */
    public boolean isRefused(Seen node) {
        return node.chain() != ChainMatch.UNKNOWN && !isAccepted(node);
    }

    String complaintAbout(Seen node) {
        return switch (node.chain()) {
            case OTHER ->
                node.url() + " is of another chain: it reports genesis " + node.genesis() + ", expected "
                        + expected.map(Hash256::hex).orElse("none yet");
            case MALFORMED -> node.url() + " reports a genesis id that is none";
            default ->
                node.url() + " does not say which chain it is of, and "
                        + (configured() ? "--expect-genesis was given" : "no --expect-genesis names the right one");
        };
    }
}
