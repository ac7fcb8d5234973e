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
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.AccountSends.OpenSwaps;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.EvmEndpoints;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;

/** The way in to sending on the account chain. What it tells of a transaction's depth is as of the last look. */
public final class AccountService implements AccountSends {
    private final SendSetup setup;
    private final AtomicLong head = new AtomicLong();
    private final List<Consumer<SendRecord>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<Stopped>> stops = new CopyOnWriteArrayList<>();
    private final ActorRef<SendWatch.Command> watch;
    private final SendMaker maker;
    private final ActorRef<Nonces.Command> nonces;
    private volatile OpenSwaps swaps = OpenSwaps.NONE;

    private AccountService(SendSetup setup, EvmEndpoints.Spawner spawner, List<AccountSend> open) {
        this.setup = setup;
        this.watch = spawner.spawn(SendWatch.create(setup, open, head, this::changed), "account-sends");
        this.maker = new SendMaker(setup, new NonceCheck(setup.knownNonce()), this::stopped);
        this.nonces = spawner.spawn(Nonces.create(setup, () -> swaps, maker, watch), "account-nonces");
    }

    private void stopped(Stopped stop) {
        stops.forEach(listener -> listener.accept(stop));
    }

    /** Takes up what the journal has of earlier runs. */
    public static CompletionStage<AccountService> start(SendSetup setup, EvmEndpoints.Spawner spawner) {
        return setup.store()
                .open(setup.chain().chainId())
                .thenApplyAsync(
                        open -> new AccountService(setup, spawner, open),
                        setup.threads().continuations());
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
        return SendRecords.of(row, head.get());
    }

    @Override
    public CompletionStage<SendRecord> send(SendRequest request) {
        CompletableFuture<SendRecord> answer = new CompletableFuture<>();
        nonces.tell(new Nonces.Send(request, answer));
        return answer;
    }

    @Override
    public CompletionStage<Optional<SendRecord>> find(String reference) {
        return setup.store()
                .find(reference)
                .thenApplyAsync(row -> row.map(this::record), setup.threads().continuations());
    }

    @Override
    public CompletionStage<List<SendRecord>> ofOwner(String owner) {
        return setup.store()
                .ofOwner(setup.chain().chainId(), owner)
                .thenApplyAsync(
                        rows -> rows.stream().map(this::record).toList(),
                        setup.threads().continuations());
    }

    @Override
    public CompletionStage<SendRecord> push(String reference) {
        CompletableFuture<SendRecord> answer = new CompletableFuture<>();
        watch.tell(new SendWatch.Push(reference, answer));
        return answer;
    }

    @Override
    public CompletionStage<SendRecord> raise(String reference) {
        return replace(reference, Replacer.Purpose.THE_SAME);
    }

    @Override
    public void pursue(String reference, OptionalLong deadline) {
        watch.tell(new SendWatch.Pursue(reference, deadline));
    }

    @Override
    public CompletionStage<SendRecord> cancel(String reference) {
        return replace(reference, Replacer.Purpose.NOTHING);
    }

    private CompletionStage<SendRecord> replace(String reference, Replacer.Purpose purpose) {
        CompletableFuture<SendRecord> answer = new CompletableFuture<>();
        watch.tell(new SendWatch.Replace(reference, purpose, answer));
        return answer;
    }

    @Override
    public CompletionStage<Boolean> makeWay(EvmAddress from) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        watch.tell(new SendWatch.MakeWay(from, answer));
        return answer;
    }

    @Override
    public AccountFunds funds(EvmAddress address) {
        return newestFunds(address, false);
    }

    @Override
    public AccountFunds pressingFunds(EvmAddress address) {
        return newestFunds(address, true);
    }

    private AccountFunds newestFunds(EvmAddress address, boolean isPressing) {
        return funds(
                setup.chain(isPressing),
                address,
                Survey.Basis.NEWEST,
                new OpenSwaps.Ahead(swaps.needingGas(address), BigInteger.ZERO, 0));
    }

    @Override
    public AccountFunds funds(EvmAddress address, String swap) {
        return funds(setup.chain(true), address, Survey.Basis.SETTLED, swaps.ahead(address, swap));
    }

    /**
     * Reads the earlier claims first: a lock that is made meanwhile then counts twice, and never not at all. The journal is read before and
     * after the chain: neither what becomes final meanwhile nor what is given a nonce and mined may look as if it were not explained.
     */
    private AccountFunds funds(AccountChain chain, EvmAddress address, Survey.Basis basis, OpenSwaps.Ahead before) {
        long covered = nextNonce(address).orElse(0);
        CompletableFuture<OpenSends.Commitments> commitments = new CompletableFuture<>();
        nonces.tell(new Nonces.Commit(address, commitments));
        List<Commitment> open = await(commitments).commitments();
        Survey survey = maker.survey(chain, address, basis);
        OptionalLong next = nextNonce(address);
        OptionalLong stolen = await(setup.store().lastLost(chain.chainId(), SendSetup.bytes(address)));
        return funds(survey, new NonceCheck.Line(address, next, covered, stolen, open, before.swaps()), before);
    }

    private OptionalLong nextNonce(EvmAddress address) {
        return await(setup.store().nextNonce(setup.chain().chainId(), SendSetup.bytes(address)));
    }

    private AccountFunds funds(Survey survey, NonceCheck.Line line, OpenSwaps.Ahead before) {
        BigInteger perSwap = Survey.reservePerSwap(survey.market());
        return new AccountFunds(
                survey.balance(),
                Commitment.sum(line.commitments(), survey.count()),
                perSwap,
                perSwap.multiply(BigInteger.valueOf(line.openSwaps())).add(before.locks()),
                before.claims(),
                maker.obstacle(line, survey));
    }

    @Override
    public CompletionStage<List<SendRecord>> open(EvmAddress from) {
        CompletableFuture<List<SendRecord>> answer = new CompletableFuture<>();
        watch.tell(new SendWatch.Open(from, answer));
        return answer;
    }

    @Override
    public void reserveFor(OpenSwaps openSwaps) {
        swaps = openSwaps;
    }

    @Override
    public void onStop(Consumer<Stopped> listener) {
        stops.add(listener);
    }

    @Override
    public void onChange(Consumer<SendRecord> listener) {
        listeners.add(listener);
    }

    /** Looks at what is not final without waiting for its turn. */
    public void look() {
        watch.tell(new SendWatch.Look());
    }

    /** Takes no new sends; complete when none is being made. What is not final goes on after the next start. */
    public CompletionStage<Void> drain() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        nonces.tell(new Nonces.Drain(answer));
        return answer;
    }
}
