package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Looks for HTLCs with a swap's hash lock in the mempools of all nodes: among the transactions that concern one of the parties, since no node
 * lists a mempool by its scripts. A node that does not answer is passed over; all of them together are not.
 */
public final class ChainMempools {
    private static final int AT_ONCE = 8;
    /** Of the transactions that one node shows, so many are looked at. */
    private static final int MOST = 64;

    private final ChainSide chain;

    ChainMempools(ChainSide chain) {
        this.chain = chain;
    }

    /** @param own the transaction that is allowed to have one */
    Optional<String> otherLock(SwapTerms terms, Optional<Hash256> own) {
        List<Address> parties = new ArrayList<>(List.of(terms.ours().address()));
        terms.theirs().key().map(chain.profile()::addressOf).ifPresent(parties::add);
        return judged(await(
                Bounded.each(chain.node().each(), AT_ONCE, one -> heard(one, parties, terms, own), chain.executor())));
    }

    /** @param heard what each node shows: the first lock in its mempool, if there is one */
    private static Optional<String> judged(List<Outcome<Optional<Hash256>>> heard) {
        Optional<Hash256> lock = heard.stream()
                .flatMap(one -> one.value().flatMap(Function.identity()).stream())
                .findFirst();
        List<Throwable> failures =
                heard.stream().flatMap(one -> one.failure().stream()).toList();
        if (lock.isEmpty() && failures.size() == heard.size()) {
            throw new NodeException.Unreachable("no node shows its mempool: "
                    + failures.stream().findFirst().map(Throwable::toString).orElse(""));
        }
        return lock.map(txId -> "an HTLC with this hash lock waits in a mempool: " + txId);
    }

    private CompletionStage<Outcome<Optional<Hash256>>> heard(
            NodeClient one, List<Address> parties, SwapTerms terms, Optional<Hash256> own) {
        return one.addressMempools(parties)
                .thenComposeAsync(
                        mempools -> first(
                                one,
                                mempools.stream()
                                        .flatMap(mempool -> mempool.entries().stream())
                                        .map(NodeClient.MempoolEntry::txId)
                                        .filter(txId -> own.filter(txId::equals).isEmpty())
                                        .distinct()
                                        .limit(MOST)
                                        .toList(),
                                terms.hashLock()),
                        chain.executor())
                .handleAsync(Outcome::of, chain.executor());
    }

    private CompletionStage<Optional<Hash256>> first(NodeClient one, List<Hash256> waiting, Hash256 hashLock) {
        if (waiting.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return one.transaction(waiting.get(0))
                .thenComposeAsync(
                        found -> found.filter(tx -> locks(tx.decode(chain.profile()), hashLock))
                                        .isPresent()
                                ? CompletableFuture.completedFuture(Optional.of(waiting.get(0)))
                                : first(one, waiting.subList(1, waiting.size()), hashLock),
                        chain.executor());
    }

    private static boolean locks(Transaction tx, Hash256 hashLock) {
        return tx.outputs().stream()
                .flatMap(output -> HtlcScript.recognise(output.script()).stream())
                .anyMatch(params -> params.hashLock().equals(hashLock));
    }
}
