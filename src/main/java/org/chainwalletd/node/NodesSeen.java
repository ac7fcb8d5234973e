package org.chainwalletd.node;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;

/**
 * Knowledge of {@link NodeWatch} about the chain and each node at one moment. Immutable.
 *
 * @param expected the configured or pinned genesis id
 * @param said what the operator named
 */
public record NodesSeen(Optional<Hash256> expected, ChainRules.Word said, List<Seen> nodes) {
    /** Whether a node is of our chain. */
    public enum ChainMatch {
        /** The node has not answered yet. */
        UNKNOWN,
        OURS,
        /** An old node that does not say which chain it is of. */
        UNNAMED,
        OTHER,
        /** The node reports something that is no id. */
        MALFORMED
    }

    /**
     * Node as it was last seen.
     *
     * @param answering whether the last check was answered
     * @param genesis what it reported last; null when nothing or malformed
     * @param tip its tip at the last answer; null before
     * @param network {@code mainnet}, {@code testnet}, {@code devnet}; null when it does not say
     * @param version null when it does not say
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

    /** Whether the operator named the id. */
    public boolean configured() {
        return said.genesis();
    }

    /** Whether a signature may be made: the id is known and at least one node is of that chain. */
    public boolean maySign() {
        return expected.isPresent() && nodes.stream().anyMatch(this::isAccepted);
    }

    /** Whether some node of our chain answered its last check. */
    public boolean isAnswering() {
        return nodes.stream().anyMatch(node -> node.answering() && isAccepted(node));
    }

    /** The network's name: the operator's word, else that of the first node of our chain that says it. */
    public Optional<String> network() {
        return said.network()
                .map(Network::word)
                .or(() -> nodes.stream()
                        .filter(this::isAccepted)
                        .map(Seen::network)
                        .filter(Objects::nonNull)
                        .findFirst());
    }

    /** Height of the highest tip that a node of our chain reported last. */
    public Optional<Long> tipHeight() {
        return nodes.stream()
                .filter(node -> isAccepted(node) && node.tip() != null)
                .map(node -> node.tip().height())
                .max(Long::compareUnsigned);
    }

    /**
     * The highest tip of the nodes of our chain that answered their last check; among equals that of the first node.
     *
     * @param aside URLs of nodes whose tips are not believed
     */
    public Optional<NodeClient.Tip> tip(Set<String> aside) {
        return nodes.stream()
                .filter(node ->
                        node.answering() && isAccepted(node) && node.tip() != null && !aside.contains(node.url()))
                .map(Seen::tip)
                .reduce((first, other) -> Long.compareUnsigned(other.height(), first.height()) > 0 ? other : first);
    }

    /** Complaint about the nodes' chain, in words; empty when there is none. */
    public Optional<String> complaint() {
        String text =
                nodes.stream().filter(this::isRefused).map(this::complaintAbout).collect(Collectors.joining("; "));
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    /** An id that was not named by the operator is held from an earlier answer: only then an old node may leave it out. */
    boolean isAccepted(Seen node) {
        return node.chain() == ChainMatch.OURS
                || node.chain() == ChainMatch.UNNAMED && !configured() && expected.isPresent();
    }

    /** Whether the node at {@code url} is known to be of our chain. */
    public boolean isOurs(String url) {
        return nodes.stream().anyMatch(node -> node.url().equals(url) && isAccepted(node));
    }

    /** Objection to a node that reports {@code genesis}, null for none, in words; empty when it is of our chain. */
    Optional<String> objectionTo(String url, Hash256 genesis) {
        Seen node = new Seen(url, match(expected, genesis), true, genesis, null, null, null);
        return isRefused(node) ? Optional.of(complaintAbout(node)) : Optional.empty();
    }

    /** Whether a node is of our chain that reports {@code genesis}, null for none. */
    static ChainMatch match(Optional<Hash256> expected, Hash256 genesis) {
        if (genesis == null) {
            return ChainMatch.UNNAMED;
        }
        return expected.map(ours -> ours.equals(genesis) ? ChainMatch.OURS : ChainMatch.OTHER)
                .orElse(ChainMatch.UNKNOWN);
    }

    /** Whether {@code node} is known not to be of the chain that is signed for. */
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
