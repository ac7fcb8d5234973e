package org.chainwalletd.spend;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;

/**
 * Sends signed bytes to the nodes and determines the outcome. Before anything but success is reported, the nodes are asked for our own
 * transaction id; only then do their refusal texts decide (decisions.md, requirement 2), and a single node's refusal never decides while
 * another node may accept the bytes. Stateless except for the round-robin position among the nodes; knows nothing of intents.
 */
final class Broadcast {
    /** Runs continuations on the threads of the node client, which may do such work. */
    private static final Executor SAME_THREAD = Runnable::run;

    private static final int MAX_SENDS = 3;
    /** Matches a refusal about one input: the mempool has another spend of it, it does not exist, or it is an immature coinbase. */
    private static final Pattern ABOUT_INPUT =
            Pattern.compile("(double-spend of |UtxoNotFound\\(|CoinbaseImmature \\{ outpoint: )"
                    + "OutPoint \\{ tx_id: Hash256\\(([0-9a-fA-F]{64})\\), output_index: (\\d{1,10}) \\}");
    /** Text of a refusal that passes within moments. */
    private static final String TIP_CHANGED = "Tip changed during validation";
    /**
     * Text of a refusal that lasts until the node's next window; until then a retry is refused too, and counted (chain protocol, section
     * 10.3).
     */
    private static final String QUOTA = "Rate limit exceeded";

    private static final String ALREADY_THERE = "transaction already in mempool";
    /** Error codes of JSON-RPC for a call that was not executed; with -32602, a node refuses a transaction (chain protocol, section 10.2). */
    private static final Set<Integer> NOT_EXECUTED = Set.of(-32700, -32600, -32601, -32602);

    private final NodeClient node;
    private final Lookup lookup;
    private final ReplacementProof rivals;
    private final Executor executor;
    private final Duration pause;
    private final AtomicInteger nextNode = new AtomicInteger();
    private final RunningSends running;

    /**
     * @param pause delay before a send is repeated after a transient refusal
     */
    private Broadcast(
            NodeClient node,
            Lookup lookup,
            ReplacementProof rivals,
            Executor executor,
            Duration pause,
            RunningSends running) {
        this.running = running;
        this.node = node;
        this.lookup = lookup;
        this.rivals = rivals;
        this.executor = executor;
        this.pause = pause;
    }

    static Broadcast of(SpendEnvironment env) {
        NodeClient node = env.node();
        return new Broadcast(
                node,
                new Lookup(node, env.profile(), env.executor()),
                new ReplacementProof(node, env.profile(), env.identity()::expected, env.executor()),
                env.executor(),
                env.pace().resendPause(),
                new RunningSends(env));
    }

    RunningSends running() {
        return running;
    }

    Lookup lookup() {
        return lookup;
    }

    /** Sends the bytes and classifies the answer. Never fails. */
    CompletionStage<BroadcastOutcome> send(Hash256 txId, Bytes transaction, Earlier earlier) {
        NodeClient inTurn = node.from(nextNode.getAndIncrement());
        return new Attempt(txId, transaction, inTurn, earlier, 1).run();
    }

    /**
     * Resends bytes that may have reached a node before. Never fails. No caller waits for this send: it leaves most of the nodes' quotas to
     * first sends of payments, and is skipped when those leave it none.
     *
     * @param first index of the node that gets the bytes first
     */
    CompletionStage<BroadcastOutcome> sendAgain(Hash256 txId, Bytes transaction, int first) {
        NodeClient yielding = node.background().patient(Duration.ZERO).from(first);
        return new Attempt(txId, transaction, yielding, Earlier.PERHAPS_SENT, 1).run();
    }

    /** Missing output, if the node's text names one. */
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

    static String messageOf(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** Whether a refusal says nothing about the transaction: the node's tip changed, or its quota is used up. */
    static boolean isTemporary(String refusal) {
        return refusal.contains(TIP_CHANGED) || refusal.contains(QUOTA);
    }

    /**
     * Whether a node's error means that it did not take the bytes. Any other error, for example of its storage, may have occurred after
     * the node had taken them, and decides no more than a lost answer.
     */
    static boolean isRefusal(NodeException.Rejected error) {
        return NOT_EXECUTED.contains(error.code()) || isTemporary(error.text());
    }

    /** Whether a refusal is about one input and not about the transaction. */
    static boolean isAboutInput(String refusal) {
        return ABOUT_INPUT.matcher(refusal).find();
    }

    static boolean isThereAlready(Throwable failure) {
        return failure instanceof NodeException.Rejected rejected
                && rejected.text().contains(ALREADY_THERE);
    }

    /** Possible earlier fates of the bytes that are about to be sent. */
    enum Earlier {
        /**
         * The bytes have never left this daemon; another daemon with the same key could make the same payment. A node that already has them
         * got them from another party.
         */
        FRESH,
        /** If the bytes were offered to nodes, each of those nodes refused them. */
        NOWHERE,
        /** This call has shown them to a node, which refused them. */
        SHOWN,
        /** An earlier send may have arrived. */
        PERHAPS_SENT
    }

    /** Send of the bytes, with the follow-up requests that the answer requires. */
    private final class Attempt {
        private final Hash256 txId;
        private final Bytes transaction;
        private final NodeClient client;
        private final Earlier earlier;
        private final int number;

        /**
         * @param client client whose every call goes to a different node than the previous one, if another node accepts calls
         */
        private Attempt(Hash256 txId, Bytes transaction, NodeClient client, Earlier earlier, int number) {
            this.txId = txId;
            this.transaction = transaction;
            this.client = client;
            this.number = number;
            this.earlier = earlier;
        }

        private CompletionStage<BroadcastOutcome> run() {
            return client.sendRawTransaction(transaction)
                    .handleAsync((answer, failure) -> answered(answer, Causes.of(failure)), SAME_THREAD)
                    .thenComposeAsync(outcome -> outcome, SAME_THREAD);
        }

        private CompletionStage<BroadcastOutcome> answered(Hash256 answer, Throwable failure) {
            if (failure == null) {
                return txId.equals(answer)
                        ? done(new BroadcastOutcome.Accepted())
                        : unanswered("the node answered with transaction id " + answer);
            }
            if (failure instanceof NodeException.Rejected rejected && isThereAlready(rejected)) {
                return done(known(rejected));
            }
            return failure instanceof NodeException.Rejected rejected && isRefusal(rejected)
                    ? refused(rejected)
                    : unanswered(messageOf(failure));
        }

        /**
         * Outcome when a node refuses bytes and a node has them. It got them from us, unless this was the first time that any node was offered
         * them, and that node certainly did not take them.
         */
        private BroadcastOutcome known(NodeException.Rejected rejected) {
            return earlier == Earlier.FRESH && rejected.onlyAttempt()
                    ? new BroadcastOutcome.KnownBefore()
                    : new BroadcastOutcome.Accepted();
        }

        /**
         * Handles a send without a usable answer: the bytes may have arrived. If a node knows them, the send succeeded; otherwise the same
         * bytes are sent again.
         */
        private CompletionStage<BroadcastOutcome> unanswered(String text) {
            return lookup.anywhere(txId)
                    .handleAsync(
                            (where, failure) -> {
                                if (failure != null) {
                                    return done(new BroadcastOutcome.Unknown(text));
                                }
                                if (where != Lookup.Location.NOWHERE) {
                                    return done(new BroadcastOutcome.Accepted());
                                }
                                return number < MAX_SENDS
                                        ? again(Earlier.PERHAPS_SENT)
                                        : done(new BroadcastOutcome.Unknown(text));
                            },
                            executor)
                    .thenComposeAsync(outcome -> outcome, executor);
        }

        private CompletionStage<BroadcastOutcome> refused(NodeException.Rejected rejected) {
            return lookup.anywhere(txId)
                    .handleAsync(
                            (where, failure) -> {
                                if (failure != null) {
                                    return done(new BroadcastOutcome.Unknown(
                                            rejected.getMessage() + "; looking it up failed: " + messageOf(failure)));
                                }
                                return where == Lookup.Location.NOWHERE ? classify(rejected) : done(known(rejected));
                            },
                            executor)
                    .thenComposeAsync(outcome -> outcome, executor);
        }

        private CompletionStage<BroadcastOutcome> classify(NodeException.Rejected rejected) {
            boolean doubtful = earlier == Earlier.PERHAPS_SENT || !rejected.onlyAttempt();
            boolean left = earlier == Earlier.SHOWN || !rejected.isForeseen();
            String text = rejected.getMessage();
            if (rejected.text().contains(TIP_CHANGED) && number < MAX_SENDS) {
                return again(doubtful ? Earlier.PERHAPS_SENT : left ? Earlier.SHOWN : Earlier.NOWHERE);
            }
            if (doubtful) {
                return done(new BroadcastOutcome.Unknown("an earlier attempt may have arrived; now " + text));
            }
            Matcher about = ABOUT_INPUT.matcher(rejected.text());
            Optional<Outpoint> named = about.find() ? outpoint(about).filter(this::isInput) : Optional.empty();
            if (named.isEmpty()) {
                return refusedByAll(text, isTemporary(rejected.text()), left);
            }
            return switch (about.group(1).charAt(0)) {
                case 'd' -> doubleSpend(named.get(), text);
                case 'U' -> missing(named.get(), text);
                default -> tooYoung(text);
            };
        }

        /** Whether the named outpoint is an input of this transaction; claims about other coins say nothing about it. */
        private boolean isInput(Outpoint named) {
            return decoded().inputs().contains(named);
        }

        private Transaction decoded() {
            return TransactionCodec.decode(transaction.toArray());
        }

        private SecondOpinion others() {
            return new SecondOpinion(txId, transaction, node.each(), lookup, executor);
        }

        private CompletionStage<BroadcastOutcome> judge(
                CompletionStage<SecondOpinion.Opinion> asked,
                String text,
                Function<SecondOpinion.Opinion, BroadcastOutcome> whenNotTaken) {
            return asked.thenApplyAsync(
                    opinion -> {
                        if (opinion.taken()) {
                            return new BroadcastOutcome.Accepted();
                        }
                        return opinion.lost()
                                ? new BroadcastOutcome.Unknown("another node may have it; one says " + text)
                                : whenNotTaken.apply(opinion);
                    },
                    executor);
        }

        private CompletionStage<BroadcastOutcome> refusedByAll(String text, boolean temporary, boolean left) {
            return judge(
                    others().ask(),
                    text,
                    opinion -> new BroadcastOutcome.Refused(text, temporary, left || opinion.shown()));
        }

        /** Handles a node's claim that its mempool has another transaction that spends one of our coins. */
        private CompletionStage<BroadcastOutcome> doubleSpend(Outpoint coin, String text) {
            return rivals.waiting(decoded(), coin)
                    .thenComposeAsync(
                            rival -> rival.isPresent()
                                    ? done(new BroadcastOutcome.Conflicted(text + "; spent by " + rival.get(), coin))
                                    : judge(others().ask(), text, opinion -> unproven(text)),
                            executor);
        }

        /** Handles a missing input: it was spent in a block by another holder of our key, or this node does not know it and may lag. */
        private CompletionStage<BroadcastOutcome> missing(Outpoint coin, String text) {
            return rivals.mined(decoded(), coin)
                    .thenComposeAsync(
                            rival -> {
                                if (rival.isPresent()) {
                                    return done(
                                            new BroadcastOutcome.Conflicted(text + "; spent by " + rival.get(), coin));
                                }
                                return number < MAX_SENDS
                                        ? again(Earlier.SHOWN)
                                        : judge(
                                                others().askThoseWithInputs(),
                                                text,
                                                opinion -> opinion.refused() ? unproven(text) : notYet(text));
                            },
                            executor);
        }

        private CompletionStage<BroadcastOutcome> tooYoung(String text) {
            return judge(
                    others().askThoseWithInputs(),
                    text,
                    opinion -> opinion.refused() ? new BroadcastOutcome.Refused(text, true, true) : notYet(text));
        }

        private static BroadcastOutcome unproven(String text) {
            return new BroadcastOutcome.NotYet("no node shows what spends its coin: " + text);
        }

        private static BroadcastOutcome notYet(String text) {
            return new BroadcastOutcome.NotYet("no node that was asked has the block of each input yet: " + text);
        }

        private CompletionStage<BroadcastOutcome> again(Earlier now) {
            Executor later = CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, executor);
            return CompletableFuture.completedFuture(new Attempt(txId, transaction, client, now, number + 1))
                    .thenComposeAsync(Attempt::run, later);
        }

        private static CompletionStage<BroadcastOutcome> done(BroadcastOutcome outcome) {
            return CompletableFuture.completedFuture(outcome);
        }
    }

    /** Outcome of offering a transaction to the nodes. */
    sealed interface BroadcastOutcome {
        /** A node has it, in its mempool or in a block. */
        record Accepted() implements BroadcastOutcome {}

        /** The first node that was ever offered these bytes says that it already has them; only for bytes sent as fresh. */
        record KnownBefore() implements BroadcastOutcome {}

        /** Another transaction, proven by a signature of our own key, spends this input. */
        record Conflicted(String text, Outpoint coin) implements BroadcastOutcome {}

        /**
         * Every node that could have it refused it and says that it does not know it.
         *
         * @param temporary whether the reason lies with the node and not the transaction: its tip changed or its quota was used up
         * @param left whether a node was shown the bytes; otherwise the refusal was foreseen without sending them
         */
        record Refused(String text, boolean temporary, boolean left) implements BroadcastOutcome {}

        /**
         * No node has it, but a later acceptance is not ruled out: no node that was asked has the block of each input yet, or nodes report
         * an input as spent and cannot show the spending transaction.
         */
        record NotYet(String text) implements BroadcastOutcome {}

        /** Some node may have it; nothing else is known. */
        record Unknown(String text) implements BroadcastOutcome {}
    }

    /** Offers bytes that one node has refused to every node: one refusal is not final while another node may accept them. For one use. */
    private static final class SecondOpinion {
        private static final int AT_ONCE = 8;

        /**
         * Result of the offers.
         *
         * @param taken whether a node has the transaction now; the rest is then meaningless
         * @param refused whether a node that could have accepted it did not
         * @param lost whether a node whose answer was lost may have it
         * @param shown whether a node that refused it was shown the bytes
         */
        record Opinion(boolean taken, boolean refused, boolean lost, boolean shown) {}

        private final Hash256 txId;
        private final Bytes transaction;
        private final Lookup lookup;
        private final Executor executor;
        private final List<NodeClient> all;
        private boolean refused;
        private boolean lost;
        private boolean shown;

        SecondOpinion(Hash256 txId, Bytes transaction, List<NodeClient> all, Lookup lookup, Executor executor) {
            this.txId = txId;
            this.transaction = transaction;
            this.lookup = lookup;
            this.executor = executor;
            this.all = all;
        }

        /** Offers the bytes to all nodes. Never fails. */
        CompletionStage<Opinion> ask() {
            return Bounded.first(all, this::offer, executor).thenApplyAsync(this::opinion, executor);
        }

        /**
         * Offers the bytes only to nodes that demonstrably have the blocks of all inputs: a node has reported an input as missing or
         * immature, and a node without these blocks lags (following.md, section 2). Never fails.
         */
        CompletionStage<Opinion> askThoseWithInputs() {
            return Bounded.first(
                            all,
                            one -> hasBlocksOfInputs(one)
                                    .thenComposeAsync(
                                            has -> has
                                                    ? offer(one)
                                                    : CompletableFuture.completedFuture(Optional.<NodeClient>empty()),
                                            executor),
                            executor)
                    .thenApplyAsync(this::opinion, executor);
        }

        private Opinion opinion(Optional<NodeClient> taker) {
            return new Opinion(taker.isPresent(), refused, lost, shown);
        }

        private CompletionStage<Boolean> hasBlocksOfInputs(NodeClient one) {
            List<Hash256> parents = TransactionCodec.decode(transaction.toArray()).inputs().stream()
                    .map(Outpoint::txId)
                    .distinct()
                    .toList();
            return Bounded.each(parents, AT_ONCE, parent -> lookup.at(one, parent), executor)
                    .handleAsync(
                            (places, failure) -> failure == null
                                    && places.stream().allMatch(place -> place == Lookup.Location.CONFIRMED),
                            executor);
        }

        /** Offers the bytes to one node, unless it is the only one, which has just refused them; returns it if it has them now. */
        private CompletionStage<Optional<NodeClient>> offer(NodeClient one) {
            if (all.size() == 1) {
                refused = true;
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return one.sendRawTransaction(transaction)
                    .handleAsync(
                            (answer, failure) ->
                                    Optional.of(one).filter(offered -> isTaken(answer, Causes.of(failure))),
                            executor);
        }

        private boolean isTaken(Hash256 answer, Throwable failure) {
            if (txId.equals(answer) || Broadcast.isThereAlready(failure)) {
                return true;
            }
            if (failure instanceof NodeException.Rejected rejected) {
                refused = true;
                shown |= !rejected.isForeseen();
                lost |= !rejected.onlyAttempt() || !isRefusal(rejected);
            } else if (!(failure instanceof NodeException.WrongChain)) {
                lost |= !(failure instanceof NodeException.Unreachable silent) || silent.mayHaveArrived();
            }
            return false;
        }
    }
}
