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
 * The one way by which transactions leave for the account chain. Every version is durable with its nonce before its first byte leaves; after
 * a crash the same bytes go out again. All versions are followed until one of them is final. What it tells of a transaction's depth is as of
 * the last look.
 *
 * <p>Stages fail with {@link RefusedException} when no nonce was given, with {@link AccountException} when the endpoints could not be asked
 * before one was, and with the exceptions of the keyring and the store. They are completed on the daemon's own threads.
 *
 * <p>Sending and following is background work. While it is stopped the journal is only read, and all else fails with
 * {@link Background#stopped}.
 */
public final class AccountSends {
    /** @param why for people: the nonces that differ, and which words are whose */
    public record Stopped(EvmAddress from, String why) {}

    /**
     * Balance of an address of ours, in wei.
     *
     * @param balance that the quorum agrees on at one block: the settled one for a swap, otherwise the newest
     * @param committed value and highest fee of our transactions that are not mined
     * @param reservePerSwap 120,000 gas × 4 × (2 × base fee + tip): what one open swap may still need
     * @param reserved that for all open swaps, with the locks that those executed at this moment are about to make
     * @param claimsAhead claims that swaps before the one that asks may send, and have not
     * @param obstacle why nothing at all is sent from it: its nonces are not explained, it has code, the chain has no transactions of type 2
     */
    public record AccountFunds(
            BigInteger balance,
            BigInteger committed,
            BigInteger reservePerSwap,
            BigInteger reserved,
            int claimsAhead,
            Optional<Refusal> obstacle) {
        private static final BigInteger TRANSACTIONS_PER_SWAP = BigInteger.valueOf(4);

        /** Most gas money that one transaction of a swap may take: 120,000 gas × (2 × base fee + tip). */
        public BigInteger perTransaction() {
            return reservePerSwap.divide(TRANSACTIONS_PER_SWAP);
        }

        /** Balance left for a claim of the swap that asks. */
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
     * Begins as background work: each time that it starts it takes up what the journal has. Fails when the open rows cannot be read now.
     *
     * @param background where what sends and follows is begun
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

    /** A page of the history, newest first. */
    public record Page(List<SendRecord> records, Optional<Long> next) {}

    /** @param before where the page before has ended; {@link Long#MAX_VALUE} for the newest */
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
     * Gives a nonce, signs, journals, and hands the transaction to all endpoints. Completes when the first endpoint has it, or when all have
     * failed to take it: the record then says {@link SendRecord.SendState.Journalled}, and the daemon goes on with it unless its owner pushes it. A
     * reference that is known already is answered with its record as it stands, and nothing is made.
     *
     * <p>A {@link SendRequest.SendKind#SEND} and a {@link SendRequest.SendKind#LOCK} leave what open swaps need; claims and refunds are what it is kept for. These pay
     * what ceiling and balance allow rather than being refused, and are made although the quorum is away.
     */
    public CompletionStage<SendRecord> send(SendRequest request) {
        return ask(nonces, answer -> new Nonces.Send(request, answer));
    }

    /** Outcome so far, from the journal, without asking an endpoint. */
    public CompletionStage<Optional<SendRecord>> find(String reference) {
        return setup.store()
                .find(reference)
                .thenApplyAsync(row -> row.map(this::record), setup.threads().continuations());
    }

    /** Sends of one owner, oldest first. */
    public CompletionStage<List<SendRecord>> ofOwner(String owner) {
        return setup.store()
                .ofOwner(setup.chain().chainId(), owner)
                .thenApplyAsync(
                        rows -> rows.stream().map(this::record).toList(),
                        setup.threads().continuations());
    }

    /** Sends the newest version once more, the same bytes, to all endpoints. Does nothing once it is in a block. */
    public CompletionStage<SendRecord> push(String reference) {
        return ask(watch, answer -> new SendWatch.Push(reference, answer));
    }

    /**
     * Makes and sends a version that pays at least an eighth more in both fee fields; when there is no room for that it is pushed as it is. The room
     * is that of its ceiling and the balance and, where no claim or refund waits for it, ten times the market less what others and open swaps need;
     * there a version that no endpoint has taken is raised to the market alone. What a gate waits for may use the gas of swaps.
     */
    public CompletionStage<SendRecord> raise(String reference) {
        return replace(reference, Replacer.Purpose.THE_SAME);
    }

    /**
     * Keeps a claim or a refund going that the journal has, as long as its owner sees that it is wanted: call it at every look. It goes out at
     * the nonce that the journal gave it and, as a copy that is journalled before, at every nonce that an endpoint names now. Copies are
     * sent again and raised by these calls alone, and never once one of them, or what they repeat, is in a block. Does nothing for what is not open.
     *
     * @param deadline Unix seconds, unsigned, after which it is worth nothing: its fee stands at the ceiling half of the margin before that;
     *     empty where there is none
     */
    public void pursue(String reference, OptionalLong deadline) {
        watch.tell(new SendWatch.Pursue(reference, deadline));
    }

    /** Completes when a claim that is journalled may be shown to somebody; fails when this daemon must not send any more. */
    public CompletionStage<Void> permitClaim() {
        return setup.permit(true);
    }

    /** Spends its nonce to ourselves, at a higher fee, once, or not at all while there is no room for that. The record tells which is mined. */
    public CompletionStage<SendRecord> cancel(String reference) {
        return replace(reference, Replacer.Purpose.NOTHING);
    }

    private CompletionStage<SendRecord> replace(String reference, Replacer.Purpose purpose) {
        return ask(watch, answer -> new SendWatch.Replace(reference, purpose, answer));
    }

    /**
     * Whether anything of an address is in no block yet, which would hold up what comes after it. What has waited for long is replaced: by a
     * version that pays more, or, where its owner pushes it and has not got it through, by one that spends its nonce to ourselves.
     */
    public CompletionStage<Boolean> makeWay(EvmAddress from) {
        return ask(watch, answer -> new SendWatch.MakeWay(from, answer));
    }

    /**
     * Balance, commitments and gas reserve of an address; what is being made when it is asked counts as committed. Blocks the calling thread,
     * which must be of a pool of its caller's own: it waits for what is being made.
     */
    public AccountFunds funds(EvmAddress address) {
        return newestFunds(address, false);
    }

    /** As {@link #funds(EvmAddress)}, on the threads of claims and refunds, to decide whether a claim may be sent. */
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

    /** As {@link #funds(EvmAddress)} at the settled block, for a lock or a gate of the swap with this id; {@link AccountFunds#reserved} is what
     * {@code swaps} need before it. */
    public AccountFunds funds(EvmAddress address, String swap) {
        return funds(setup.chain(true), address, Survey.Basis.SETTLED, () -> swaps.ahead(address, swap));
    }

    /**
     * Reads the earlier claims first: a lock that is made meanwhile then counts twice, and never not at all. The journal is read before and
     * after the chain: neither what becomes final meanwhile nor what is given a nonce and mined may look as if it were not explained.
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

    /** Sends that are not over, without copies, oldest first; for deletion guards. */
    public CompletionStage<List<SendRecord>> open(EvmAddress from) {
        return ask(watch, answer -> new SendWatch.Open(from, answer));
    }

    /** Sets the counter of swaps that need gas; once, before anything is sent. */
    public void reserveFor(OpenSwaps openSwaps) {
        swaps = openSwaps;
    }

    /**
     * Calls {@code listener} each time that something new is not sent, or could not be, because the nonces of an address cannot be explained:
     * endpoints that differ about the account, or transactions that the journal does not know; it must not block.
     */
    public void onStop(Consumer<Stopped> listener) {
        stops.add(listener);
    }

    /** Calls {@code listener} after each change of a record's state is durable; it must not block. */
    public void onChange(Consumer<SendRecord> listener) {
        listeners.add(listener);
    }

    /** Takes no new sends; complete when none is being made, at once while background work is stopped. What is not final goes on after the next start. */
    public CompletionStage<Void> drain() {
        return ask(nonces, Nonces.Drain::new);
    }

    private static <C, T> CompletionStage<T> ask(ActorRef<C> actor, Function<CompletableFuture<T>, C> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        actor.tell(question.apply(answer));
        return answer;
    }
}
