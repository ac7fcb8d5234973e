package org.chainwalletd.wait;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.node.NodeClient;

/**
 * Confirmed balances of an address at each node, and how much each node's balance has grown between two of its own answers. Balances of different
 * nodes are never compared: nodes at different heights, or one that lies, would show a payment that does not exist. Where there are several nodes,
 * two must show the growth. Used only by {@link OpenPaymentWaits}.
 */
final class NodeBalances {
    private static final int QUORUM = 2;
    private static final Amount NONE = Amount.ofUnsigned(0);
    /** Maximum time for which a request waits for the quotas of a node: all other look-ups wait for the slowest node. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Last answer of a node.
     *
     * @param read number of the change in which the balance was last read
     * @param growth by which the balance last changed; 0 if it fell
     * @param from number of the last change in which the balance before the growth was read
     * @param tip height of the nodes at the growth
     */
    private record Reading(Amount balance, long read, Amount growth, long from, long tip) {
        Reading then(Amount now, long number, long nodesTip) {
            if (now.equals(balance)) {
                return new Reading(balance, number, growth, from, tip);
            }
            Amount grown = now.compareTo(balance) > 0 ? Amount.ofUnsigned(now.bits() - balance.bits()) : NONE;
            return new Reading(now, number, grown, read, nodesTip);
        }
    }

    private final Map<Integer, Reading> readings = new HashMap<>();

    /**
     * Asks each node for the balances of some addresses; a node that does not answer has an empty place. Waits long for quotas only if no node
     * answers otherwise: nodes without the batch method need the quotas of several minutes for many addresses.
     */
    static CompletionStage<List<Optional<List<Amount>>>> ask(
            List<NodeClient> each, List<Address> addresses, Executor executor) {
        List<NodeClient> prompt =
                each.stream().map(node -> node.patient(PATIENCE)).toList();
        return answers(prompt, addresses, executor)
                .thenComposeAsync(
                        byNode -> byNode.stream().anyMatch(Optional::isPresent)
                                ? CompletableFuture.completedStage(byNode)
                                : answers(each, addresses, executor),
                        executor);
    }

    private static CompletionStage<List<Optional<List<Amount>>>> answers(
            List<NodeClient> each, List<Address> addresses, Executor executor) {
        List<CompletableFuture<Optional<List<Amount>>>> asked = each.stream()
                .map(node -> node.balances(addresses)
                        .handleAsync((amounts, failure) -> Optional.ofNullable(amounts), executor)
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> asked.stream().map(CompletableFuture::join).toList(), executor);
    }

    boolean isEmpty() {
        return readings.isEmpty();
    }

    /**
     * Records the balance of each node.
     *
     * @param byNode in the same order in each call; empty where a node did not answer
     * @param number of this change, see {@link AddressGroup#begin}
     */
    void read(List<Optional<Amount>> byNode, long number, long nodesTip) {
        for (int i = 0; i < byNode.size(); i++) {
            int node = i;
            byNode.get(i).ifPresent(now -> {
                Reading before = readings.getOrDefault(node, new Reading(now, number, NONE, number, nodesTip));
                readings.put(node, before.then(now, number, nodesTip));
            });
        }
    }

    /**
     * Returns the growth that enough nodes show; empty if there is none.
     *
     * @param nodes number of nodes that are asked
     * @param since number of the first change whose balances count as earlier ones
     * @param counts whether growth at a tip of the nodes counts
     */
    Optional<Amount> growth(int nodes, long since, LongPredicate counts) {
        return readings.values().stream()
                .filter(reading -> reading.from() >= since && counts.test(reading.tip()))
                .map(Reading::growth)
                .filter(growth -> growth.compareTo(NONE) > 0)
                .sorted(Comparator.reverseOrder())
                .skip(Math.min(QUORUM, nodes) - 1)
                .findFirst();
    }
}
