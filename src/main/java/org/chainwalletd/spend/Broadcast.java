package org.chainwalletd.spend;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeClient.NodeTransaction;
import org.chainwalletd.node.NodeException;

/**
 * Offers signed bytes to the nodes and finds out what became of them. Before anything but success is reported the nodes are asked for our
 * own transaction id; only then do their words decide (decisions.md, requirement 2). Stateless; knows nothing of intents.
 */
final class Broadcast {
    /** Answers of the node client arrive on threads that are there for going on with them. */
    private static final Executor AT_HAND = Runnable::run;

    private static final int MAX_SENDS = 3;
    private static final int AT_ONCE = 8;
    /** Words about one input: somebody else's spend of it waits already, it is not there, or it is too young. */
    private static final Pattern ABOUT_INPUT =
            Pattern.compile("(double-spend of |UtxoNotFound\\(|CoinbaseImmature \\{ outpoint: )"
                    + "OutPoint \\{ tx_id: Hash256\\(([0-9a-fA-F]{64})\\), output_index: (\\d{1,10}) \\}");
    /** Refusals that pass within moments. */
    private static final List<String> PASSING_SOON = List.of("Tip changed during validation", "Storage error");
    /** Passes with the node's next window; until then a repetition is refused too, and counted (chain protocol, section 10.3). */
    private static final String QUOTA = "Rate limit exceeded";

    private static final String ALREADY_THERE = "transaction already in mempool";

    private final NodeClient node;
    private final ChainProfile profile;
    private final Executor executor;
    private final Duration pause;

    /**
     * @param pause before a refusal that passes by itself is tried again
     */
    Broadcast(NodeClient node, ChainProfile profile, Executor executor, Duration pause) {
        this.node = node;
        this.profile = profile;
        this.executor = executor;
        this.pause = pause;
    }

    /**
     * Sends, and sorts out the answer. Never fails.
     *
     * @param ambiguous whether an earlier send of these bytes may have arrived somewhere
     */
    CompletionStage<BroadcastOutcome> send(Hash256 txId, Bytes transaction, boolean ambiguous) {
        return new Attempt(txId, transaction, ambiguous, 1, false).run();
    }

    /** As {@link #send}, of bytes that have never left this daemon: a node that has them has them from somebody else. */
    CompletionStage<BroadcastOutcome> sendFresh(Hash256 txId, Bytes transaction) {
        return new Attempt(txId, transaction, false, 1, true).run();
    }

    /** Where a transaction is. */
    enum Whereabouts {
        CONFIRMED,
        MEMPOOL,
        NOWHERE
    }

    /** Asks the nodes as every call does; fails with {@link NodeException}. A node that answers with another transaction is not believed. */
    CompletionStage<Optional<NodeTransaction>> find(Hash256 txId) {
        return node.transaction(txId).thenApplyAsync(found -> verified(txId, found), executor);
    }

    private CompletionStage<Whereabouts> locate(NodeClient at, Hash256 txId) {
        return at.transaction(txId)
                .thenApplyAsync(
                        answer -> verified(txId, answer)
                                .map(found -> found.blockHeight() == null ? Whereabouts.MEMPOOL : Whereabouts.CONFIRMED)
                                .orElse(Whereabouts.NOWHERE),
                        executor);
    }

    private Optional<NodeTransaction> verified(Hash256 txId, Optional<NodeTransaction> found) {
        if (found.isEmpty()) {
            return found;
        }
        try {
            byte[] bytes = found.get().bytes().toArray();
            if (!TransactionCodec.txId(profile, TransactionCodec.decode(bytes)).equals(txId)) {
                throw new NodeException.BadAnswer("the node answered with another transaction than " + txId);
            }
        } catch (DecodeException e) {
            throw new NodeException.BadAnswer("the node answered with a malformed transaction: " + e.getMessage());
        }
        return found;
    }

    /**
     * Asks every single node until one knows the transaction. "Nowhere" when none knows it and at least one has answered; fails when none
     * has.
     */
    CompletionStage<Whereabouts> locateAnywhere(Hash256 txId) {
        return locateAnywhere(txId, node.each().iterator(), false);
    }

    private CompletionStage<Whereabouts> locateAnywhere(Hash256 txId, Iterator<NodeClient> rest, boolean heard) {
        if (!rest.hasNext()) {
            return heard ? CompletableFuture.completedFuture(Whereabouts.NOWHERE) : locate(node, txId);
        }
        return locate(rest.next(), txId)
                .handleAsync(
                        (where, failure) -> {
                            if (failure != null) {
                                return locateAnywhere(txId, rest, heard);
                            }
                            return where == Whereabouts.NOWHERE
                                    ? locateAnywhere(txId, rest, true)
                                    : CompletableFuture.completedFuture(where);
                        },
                        executor)
                .thenComposeAsync(where -> where, executor);
    }

    /** The output that is not there, when a node's words say so. */
    static Optional<Outpoint> missingOutput(String text) {
        Matcher matcher = ABOUT_INPUT.matcher(text);
        return matcher.find() && matcher.group(1).startsWith("UtxoNotFound") ? outpoint(matcher) : Optional.empty();
    }

    private static Optional<Outpoint> outpoint(Matcher named) {
        long index = Long.parseLong(named.group(3));
        return index > Outpoint.MAX_INDEX
                ? Optional.empty()
                : Optional.of(new Outpoint(Hash256.parse(named.group(2)), index));
    }

    static String words(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** One send with its aftermath. */
    private final class Attempt {
        private final Hash256 txId;
        private final Bytes transaction;
        private final boolean ambiguous;
        private final int number;
        private final boolean fresh;

        private Attempt(Hash256 txId, Bytes transaction, boolean ambiguous, int number, boolean fresh) {
            this.txId = txId;
            this.transaction = transaction;
            this.ambiguous = ambiguous;
            this.number = number;
            this.fresh = fresh;
        }

        private CompletionStage<BroadcastOutcome> run() {
            return node.sendRawTransaction(transaction)
                    .handleAsync(this::answered, AT_HAND)
                    .thenComposeAsync(outcome -> outcome, AT_HAND);
        }

        private CompletionStage<BroadcastOutcome> answered(Hash256 answer, Throwable failure) {
            if (failure == null) {
                return txId.equals(answer)
                        ? done(new BroadcastOutcome.Accepted())
                        : unanswered("the node answered with transaction id " + answer);
            }
            if (unwrapped(failure) instanceof NodeException.Rejected rejected) {
                return rejected.text().contains(ALREADY_THERE) ? done(known(rejected)) : refused(rejected);
            }
            return unanswered(words(failure));
        }

        /** A node refuses what it has. It has it from us unless this is the first time that any node was offered it. */
        private BroadcastOutcome known(NodeException.Rejected rejected) {
            return fresh && rejected.onlyAttempt()
                    ? new BroadcastOutcome.KnownBefore()
                    : new BroadcastOutcome.Accepted();
        }

        /** It may have arrived: known means success, unknown means once more the same bytes. */
        private CompletionStage<BroadcastOutcome> unanswered(String text) {
            return locateAnywhere(txId)
                    .handleAsync(
                            (where, failure) -> {
                                if (failure != null) {
                                    return done(new BroadcastOutcome.Unknown(text));
                                }
                                if (where != Whereabouts.NOWHERE) {
                                    return done(new BroadcastOutcome.Accepted());
                                }
                                return number < MAX_SENDS ? again(true) : done(new BroadcastOutcome.Unknown(text));
                            },
                            executor)
                    .thenComposeAsync(outcome -> outcome, executor);
        }

        private CompletionStage<BroadcastOutcome> refused(NodeException.Rejected rejected) {
            return locateAnywhere(txId)
                    .handleAsync(
                            (where, failure) -> {
                                if (failure != null) {
                                    return done(new BroadcastOutcome.Unknown(
                                            rejected.getMessage() + "; looking it up failed: " + words(failure)));
                                }
                                return where == Whereabouts.NOWHERE ? classify(rejected) : done(known(rejected));
                            },
                            executor)
                    .thenComposeAsync(outcome -> outcome, executor);
        }

        private CompletionStage<BroadcastOutcome> classify(NodeException.Rejected rejected) {
            boolean doubtful = ambiguous || !rejected.onlyAttempt();
            boolean passingSoon = PASSING_SOON.stream().anyMatch(rejected.text()::contains);
            if (passingSoon && number < MAX_SENDS) {
                return again(doubtful);
            }
            if (passingSoon || rejected.text().contains(QUOTA)) {
                return done(notTaken(rejected.getMessage(), doubtful, true));
            }
            Matcher about = ABOUT_INPUT.matcher(rejected.text());
            Optional<Outpoint> named = about.find() ? outpoint(about).filter(this::isInput) : Optional.empty();
            if (named.isEmpty()) {
                return done(notTaken(rejected.getMessage(), doubtful, false));
            }
            if (about.group(1).startsWith("double-spend")) {
                return done(new BroadcastOutcome.Conflicted(rejected.getMessage(), !doubtful));
            }
            if (about.group(1).startsWith("CoinbaseImmature")) {
                return doubtful
                        ? done(notTaken(rejected.getMessage(), true, true))
                        : new Elsewhere(rejected.getMessage(), true).ask();
            }
            return spender(named.get(), rejected.getMessage(), doubtful);
        }

        /** What becomes of coins that are none of ours says nothing about this transaction. */
        private boolean isInput(Outpoint named) {
            return TransactionCodec.decode(transaction.toArray()).inputs().contains(named);
        }

        /**
         * An input that is not there: spent in a block by somebody else, by us, or not known to this node, which may lag. In doubt that decides
         * nothing, and the next look at the spend sends it again anyway.
         */
        private CompletionStage<BroadcastOutcome> spender(Outpoint missing, String text, boolean doubtful) {
            return node.spentBy(missing)
                    .handleAsync(
                            (spent, failure) -> {
                                if (failure == null && spent.isPresent()) {
                                    return done(spenderFound(spent.get().txId(), text, doubtful));
                                }
                                if (doubtful) {
                                    return done(notTaken(text, true, false));
                                }
                                return number < MAX_SENDS ? again(false) : new Elsewhere(text, false).ask();
                            },
                            executor)
                    .thenComposeAsync(outcome -> outcome, executor);
        }

        /** The word of one node: where ours may have arrived somewhere, only the followed chain tells which one is mined. */
        private BroadcastOutcome spenderFound(Hash256 by, String text, boolean doubtful) {
            return by.equals(txId)
                    ? new BroadcastOutcome.Accepted()
                    : new BroadcastOutcome.Conflicted(text + "; spent by " + by, !doubtful);
        }

        /**
         * A node says that an input is missing or too young, and does so again. One that is not shown to have the blocks of the inputs lags:
         * each that has them is offered the bytes, and only such a one can refuse them (following.md, section 2).
         */
        private final class Elsewhere {
            private final String text;
            private final boolean passing;
            private final List<NodeClient> all = node.each();
            private final Iterator<NodeClient> rest = all.iterator();
            private boolean heard;
            private boolean lost;

            private Elsewhere(String text, boolean passing) {
                this.text = text;
                this.passing = passing;
            }

            private CompletionStage<BroadcastOutcome> ask() {
                if (!rest.hasNext()) {
                    return done(verdict());
                }
                NodeClient next = rest.next();
                return hasBlocksOfInputs(next).thenComposeAsync(has -> has ? offer(next) : ask(), executor);
            }

            private BroadcastOutcome verdict() {
                if (lost) {
                    return notTaken(text, true, passing);
                }
                return heard
                        ? notTaken(text, false, passing)
                        : new BroadcastOutcome.NotYet(
                                "no node that was asked has the block of each input yet: " + text);
            }

            private CompletionStage<Boolean> hasBlocksOfInputs(NodeClient one) {
                List<Hash256> parents = TransactionCodec.decode(transaction.toArray()).inputs().stream()
                        .map(Outpoint::txId)
                        .distinct()
                        .toList();
                return Bounded.each(parents, AT_ONCE, parent -> locate(one, parent), executor)
                        .handleAsync(
                                (places, failure) -> failure == null
                                        && places.stream().allMatch(place -> place == Whereabouts.CONFIRMED),
                                executor);
            }

            /** The only node there is has just been offered them. */
            private CompletionStage<BroadcastOutcome> offer(NodeClient one) {
                if (all.size() == 1) {
                    heard = true;
                    return ask();
                }
                return one.sendRawTransaction(transaction)
                        .handleAsync(this::offered, executor)
                        .thenComposeAsync(outcome -> outcome, executor);
            }

            private CompletionStage<BroadcastOutcome> offered(Hash256 answer, Throwable failure) {
                Throwable cause = failure == null ? null : unwrapped(failure);
                boolean refused = cause instanceof NodeException.Rejected;
                if (txId.equals(answer)
                        || refused && ((NodeException.Rejected) cause).text().contains(ALREADY_THERE)) {
                    return done(new BroadcastOutcome.Accepted());
                }
                heard |= refused;
                lost |= !refused;
                return ask();
            }
        }

        private BroadcastOutcome notTaken(String text, boolean doubtful, boolean passing) {
            return doubtful
                    ? new BroadcastOutcome.Unknown("an earlier attempt may have arrived; now " + text)
                    : new BroadcastOutcome.Refused(text, passing);
        }

        private CompletionStage<BroadcastOutcome> again(boolean nowAmbiguous) {
            Executor later = CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, executor);
            return CompletableFuture.completedFuture(new Attempt(txId, transaction, nowAmbiguous, number + 1, false))
                    .thenComposeAsync(Attempt::run, later);
        }

        private static CompletionStage<BroadcastOutcome> done(BroadcastOutcome outcome) {
            return CompletableFuture.completedFuture(outcome);
        }
    }
}
