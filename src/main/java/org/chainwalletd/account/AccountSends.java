package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.account.OpenSends.Commitment;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.store.AccountSend;

/**
 * Entry point for every transaction that the daemon sends on the account chain. Each version is durable, with its nonce, before its first byte is
 * sent; after a crash the same bytes are sent again. All versions are followed until one of them is final. The reported depth of a transaction is
 * that of the last look.
 *
 * <p>Stages fail with {@link RefusedException} if no nonce was assigned, with {@link AccountException} if the endpoints could not be queried before
 * that, and with the exceptions of the keyring and the store. They complete on the daemon's own threads.
 *
 * <p>Sending and following is background work. While it is stopped, the journal can be read, and everything else fails with
 * {@link Background#stopped}.
 */
public final class AccountSends {
    /** @param why explanation for people: the nonces that differ and the endpoints that report them */
    public record Stopped(EvmAddress from, String why) {}

    /**
     * Balance of one of our addresses, in wei.
     *
     * @param balance balance on which the quorum agrees at one block: the settled block for a swap, otherwise the newest one
     * @param committed value and maximum fee of our transactions that are not mined
     * @param reservePerSwap 120,000 gas × 4 × (2 × base fee + tip): gas money that one open swap may still need
     * @param reserved reserve of the open swaps, plus the amounts of locks that are about to be made
     * @param claimsAhead number of claims that swaps earlier than the requesting one may still send
     * @param obstacle reason why nothing can be sent from the address: its nonces are not explained, it has code, or the chain has no transactions
     *     of type 2
     */
    public record AccountFunds(
            BigInteger balance,
            BigInteger committed,
            BigInteger reservePerSwap,
            BigInteger reserved,
            int claimsAhead,
            Optional<Refusal> obstacle) {
        private static final BigInteger TRANSACTIONS_PER_SWAP = BigInteger.valueOf(4);

        /** Maximum gas money of one transaction of a swap: 120,000 gas × (2 × base fee + tip). */
        public BigInteger perTransaction() {
            return reservePerSwap.divide(TRANSACTIONS_PER_SWAP);
        }

        /** Balance that remains for a claim of the requesting swap. */
        public BigInteger leftForClaim() {
            return balance.subtract(committed).subtract(perTransaction().multiply(BigInteger.valueOf(claimsAhead)));
        }
    }

    private final SendSetup setup;
    private final AtomicLong head = new AtomicLong();
    private final List<Consumer<SendRecord>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<Stopped>> stops = new CopyOnWriteArrayList<>();
    private final ActorRef<SendWatch.Command> watch;
    private final SendMaker maker;
    private final ActorRef<Nonces.Command> nonces;
    private volatile OpenSwaps swaps = OpenSwaps.NONE;

    private AccountSends(SendSetup setup, Background background) {
        this.setup = setup;
        WritingTerms terms = new WritingTerms(setup.threads().continuations());
        this.watch = background.begin(
                "account-sends",
                SendWatch.create(setup, terms, () -> swaps, head, this::changed),
                command -> SendWatch.whileStopped(command, this::record));
        NonceCheck check = new NonceCheck(setup.knownNonce());
        this.maker = new SendMaker(setup, check, this::stopped);
        this.nonces = background.begin(
                "account-nonces",
                Nonces.create(new Nonces.Parts(setup, terms, () -> swaps, check, this::stopped, watch, this::record)),
                Nonces::whileStopped);
    }

    private void stopped(EvmAddress from, String why) {
        Stopped stop = new Stopped(from, why);
        stops.forEach(listener -> listener.accept(stop));
    }

    /**
     * Starts the actors as background work; each of their starts resumes all open sends of the journal. Fails if the open rows cannot be read now.
     *
     * @param background subtree in which the sending and following actors run
     */
    public static CompletionStage<AccountSends> start(SendSetup setup, Background background) {
        AccountSends sends = new AccountSends(setup, background);
        return setup.store()
                .open(setup.chain().chainId())
                .thenApplyAsync(open -> sends, setup.threads().continuations());
    }

    private void changed(SendRecord record) {
        listeners.forEach(listener -> listener.accept(record));
    }

    /** Page of the history, newest first. */
    public record Page(List<SendRecord> records, Optional<Long> next) {}

    /** @param before position at which the previous page ended; {@link Long#MAX_VALUE} for the newest page */
    public CompletionStage<Page> history(long before, int most) {
        return setup.store()
                .page(setup.chain().chainId(), before, most + 1)
                .thenApplyAsync(
                        rows -> {
                            List<AccountSend> shown = rows.subList(0, Math.min(most, rows.size()));
                            return new Page(
                                    shown.stream().map(this::record).toList(),
                                    rows.size() > most
                                            ? Optional.of(shown.get(most - 1).id())
                                            : Optional.empty());
                        },
                        setup.threads().continuations());
    }

    private SendRecord record(AccountSend row) {
        return SendRecord.of(row, head.get());
    }

    /**
     * Assigns a nonce, signs, journals, and submits the transaction to all endpoints. Completes when the first endpoint has accepted it, or when
     * all have failed to: the record is then {@link SendRecord.SendState.Journalled}, and the daemon keeps sending it unless its owner pushes it.
     * If the reference is already known, makes nothing and returns the current record.
     *
     * <p>A {@link SendRequest.SendKind#SEND} or {@link SendRequest.SendKind#LOCK} leaves the gas money that open swaps need; claims and refunds may
     * use it. Claims and refunds are not refused for a low ceiling or balance but pay as much as these allow, and are made even if the quorum is
     * unavailable.
     */
    public CompletionStage<SendRecord> send(SendRequest request) {
        return ask(nonces, answer -> new Nonces.Send(request, answer));
    }

    /** Reads the current state from the journal; no endpoint is asked. */
    public CompletionStage<Optional<SendRecord>> find(String reference) {
        return setup.store()
                .find(reference)
                .thenApplyAsync(row -> row.map(this::record), setup.threads().continuations());
    }

    /** Reads all sends of one owner, oldest first. */
    public CompletionStage<List<SendRecord>> ofOwner(String owner) {
        return setup.store()
                .ofOwner(setup.chain().chainId(), owner)
                .thenApplyAsync(
                        rows -> rows.stream().map(this::record).toList(),
                        setup.threads().continuations());
    }

    /**
     * Resends the newest version, and others that endpoints may accept instead, the same bytes, to all endpoints. Does nothing once one is in a
     * block.
     */
    public CompletionStage<SendRecord> push(String reference) {
        return ask(watch, answer -> new SendWatch.Push(reference, answer));
    }

    /**
     * Makes and sends a version that pays at least an eighth more in both fee fields; if the permitted maximum is too low for that, pushes the
     * newest version unchanged. The ceiling and the balance limit the fee. If no claim or refund waits for the transaction, so do ten times the
     * market price and the amounts that other sends and open swaps need, and a version that no endpoint has accepted is raised only when the market
     * price exceeds its fee. A transaction for which a gate waits may use the gas money of swaps.
     */
    public CompletionStage<SendRecord> raise(String reference) {
        return replace(reference, Replacer.Purpose.RAISE);
    }

    /**
     * Keeps sending a journalled claim or refund; its owner must call this at every look. The transaction is sent at the nonce that the journal
     * assigned and, as a copy that is journalled first, at the nonces that endpoints currently report. Copies are resent and raised only by these
     * calls, and never while one of them, or the original, is in a block. Does nothing for a reference that is not open.
     *
     * @param deadline Unix seconds, unsigned, after which the transaction is worthless: its fee reaches the ceiling half of the margin before that;
     *     empty if there is no deadline
     */
    public void pursue(String reference, OptionalLong deadline) {
        watch.tell(new SendWatch.Pursue(reference, deadline));
    }

    /** Completes when a journalled claim may be revealed; fails if this daemon must not send any more. */
    public CompletionStage<Void> permitClaim() {
        return setup.permit(true);
    }

    /**
     * Sends one transaction to ourselves at the same nonce with a higher fee; does nothing while the balance is too low for that fee. The record
     * shows which transaction is mined.
     */
    public CompletionStage<SendRecord> cancel(String reference) {
        return replace(reference, Replacer.Purpose.CANCEL);
    }

    private CompletionStage<SendRecord> replace(String reference, Replacer.Purpose purpose) {
        return ask(watch, answer -> new SendWatch.Replace(reference, purpose, answer));
    }

    /**
     * Returns whether a transaction of an address is not in a block yet, which would delay later ones, and hastens such transactions. One that has
     * waited for long is replaced by a version that pays more or, if its owner has pushed it without success, by a transaction to ourselves at the
     * same nonce.
     */
    public CompletionStage<Boolean> makeWay(EvmAddress from) {
        return ask(watch, answer -> new SendWatch.MakeWay(from, answer));
    }

    /**
     * Reads balance, commitments and gas reserve of an address; transactions in preparation count as committed. Blocks until they are made, so the
     * calling thread must not belong to a pool of {@link SendSetup.Threads}.
     */
    public AccountFunds funds(EvmAddress address) {
        return newestFunds(address, false);
    }

    /** Does the same as {@link #funds(EvmAddress)} on the endpoint threads for claims and refunds, to decide whether a claim may be sent. */
    public AccountFunds pressingFunds(EvmAddress address) {
        return newestFunds(address, true);
    }

    private AccountFunds newestFunds(EvmAddress address, boolean isPressing) {
        return funds(
                setup.chain(isPressing),
                address,
                Survey.Basis.NEWEST,
                () -> new OpenSwaps.Ahead(swaps.needingGas(address), BigInteger.ZERO, 0));
    }

    /**
     * Does the same as {@link #funds(EvmAddress)} at the settled block, for a lock or a gate of the swap with this id;
     * {@link AccountFunds#reserved} is then the amount that earlier swaps need, see {@link OpenSwaps#ahead}.
     */
    public AccountFunds funds(EvmAddress address, String swap) {
        return funds(setup.chain(true), address, Survey.Basis.SETTLED, () -> swaps.ahead(address, swap));
    }

    /**
     * Reads the amounts with priority first: a lock made meanwhile then counts twice instead of not at all. Reads the journal before and after the
     * chain: a transaction that becomes final meanwhile, or is assigned a nonce and mined, must not look unexplained.
     */
    private AccountFunds funds(
            AccountChain chain, EvmAddress address, Survey.Basis basis, Supplier<OpenSwaps.Ahead> ahead) {
        boolean isKnown = swaps.isKnown();
        OpenSwaps.Ahead before = ahead.get();
        long covered = nextNonce(address).orElse(0);
        OpenSends.Commitments open = await(ask(nonces, answer -> new Nonces.Commit(address, answer)));
        if (!isKnown) {
            throw new RefusedException(SendRefusal.swapsUnread());
        }
        Survey survey = maker.survey(chain, address, basis);
        OptionalLong next = nextNonce(address);
        OptionalLong stolen = open.stolen(await(setup.store().lastLost(chain.chainId(), SendSetup.bytes(address))));
        NonceCheck.Line line = new NonceCheck.Line(address, next, covered, stolen, open.commitments(), before.swaps());
        BigInteger perSwap = Survey.reservePerSwap(survey.market());
        return new AccountFunds(
                survey.balance(),
                Commitment.sum(line.commitments(), survey.count()),
                perSwap,
                perSwap.multiply(BigInteger.valueOf(line.openSwaps())).add(before.locks()),
                before.claims(),
                maker.obstacle(line, survey));
    }

    private OptionalLong nextNonce(EvmAddress address) {
        return await(setup.store().nextNonce(setup.chain().chainId(), SendSetup.bytes(address)));
    }

    /** Returns the open sends without copies, by nonce; for checks before a key is deleted. */
    public CompletionStage<List<SendRecord>> open(EvmAddress from) {
        return ask(watch, answer -> new SendWatch.Open(from, answer));
    }

    /** Sets the source of the amounts that open swaps need. Called once, before anything is sent. */
    public void reserveFor(OpenSwaps openSwaps) {
        swaps = openSwaps;
    }

    /**
     * Calls {@code listener} whenever nothing new can be sent from an address because its nonces are not explained: endpoints disagree about the
     * account, or it has transactions that the journal does not contain. The listener must not block.
     */
    public void onStop(Consumer<Stopped> listener) {
        stops.add(listener);
    }

    /** Calls {@code listener} after each change of a record's state is durable. The listener must not block. */
    public void onChange(Consumer<SendRecord> listener) {
        listeners.add(listener);
    }

    /**
     * Accepts no new sends; completes when none is in preparation, at once while background work is stopped. Sends that are not final continue
     * after the next start.
     */
    public CompletionStage<Void> drain() {
        return ask(nonces, Nonces.Drain::new);
    }

    private static <C, T> CompletionStage<T> ask(ActorRef<C> actor, Function<CompletableFuture<T>, C> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        actor.tell(question.apply(answer));
        return answer;
    }
}
