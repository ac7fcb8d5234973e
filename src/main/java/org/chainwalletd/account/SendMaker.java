package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.chainwalletd.account.OpenSends.Commitment;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore.Journalled;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes transactions from requests of one address, in batches: one query of the chain and one commit of the journal per batch. If that fails, no
 * nonce was used, unless the outcome of the commit is unknown.
 */
final class SendMaker {
    private static final Logger LOG = LoggerFactory.getLogger(SendMaker.class);
    private static final long MOST_GAS = 2_000_000;

    private final SendSetup setup;
    private final NonceCheck nonces;
    private final BiConsumer<EvmAddress, String> stops;

    /** @param stops called with an address and the reason why its nonces permit no new sends; must not block */
    SendMaker(SendSetup setup, NonceCheck nonces, BiConsumer<EvmAddress, String> stops) {
        this.setup = setup;
        this.nonces = nonces;
        this.stops = stops;
    }

    /** Outcome of one request. */
    sealed interface Outcome {
        SendRequest request();

        record Made(SendRequest request, AccountSend send) implements Outcome {}

        record Refused(SendRequest request, Throwable why) implements Outcome {}
    }

    /**
     * Reads the nonces of the address from the journal and makes transactions from the requests. The nonces are read for each batch, because mined
     * copies and other senders change them between two batches.
     *
     * @param commitments amounts that open transactions may still take, as answered by the {@link SendWatch}
     */
    List<Outcome> make(
            EvmAddress from,
            CompletionStage<OpenSends.Commitments> commitments,
            int openSwaps,
            List<SendRequest> requests) {
        OpenSends.Commitments found = await(commitments);
        BigInteger chainId = setup.chain().chainId();
        OptionalLong next = await(setup.store().nextNonce(chainId, SendSetup.bytes(from)));
        OptionalLong lost = await(setup.store().lastLost(chainId, SendSetup.bytes(from)));
        int free = setup.pace().mostOpen() - found.open();
        if (free < requests.size() && !requests.get(0).kind().isPressing()) {
            throw new RefusedException(SendRefusal.tooMany(found.open()));
        }
        return make(
                new NonceCheck.Line(from, next, next.orElse(0), found.stolen(lost), found.commitments(), openSwaps),
                requests);
    }

    /**
     * Makes one outcome for each request, in their order; either all are {@linkplain SendKind#isPressing pressing}, or all have the same
     * {@link Survey.Basis}. Blocks.
     */
    private List<Outcome> make(NonceCheck.Line line, List<SendRequest> requests) {
        SendKind kind = requests.get(0).kind();
        AccountChain chain = setup.chain(kind.isPressing());
        if (kind.isPressing()) {
            return make(new PressingFunds(chain.quorum(), line, Urgency.of(chain, line.from())), line, requests);
        }
        Survey survey = survey(chain, line.from(), Survey.Basis.of(kind));
        Optional<Refusal> obstacle = obstacle(line, survey);
        if (obstacle.isPresent()) {
            RefusedException why = new RefusedException(obstacle.get());
            return requests.stream()
                    .map(request -> (Outcome) new Outcome.Refused(request, why))
                    .toList();
        }
        return make(new OrdinaryFunds(line, survey), line, requests);
    }

    /** Reads the data that decide whether a new transaction may be sent. Blocks. */
    Survey survey(AccountChain chain, EvmAddress from, Survey.Basis basis) {
        return Survey.of(chain, from, basis, why -> stops.accept(from, why));
    }

    /** Estimates the gas of all requests concurrently, then pays each one from the funds and signs it; all are journalled in one commit. */
    private List<Outcome> make(FundsLeft funds, NonceCheck.Line line, List<SendRequest> requests) {
        List<CompletionStage<Long>> gas =
                requests.stream().map(request -> gas(request, funds)).toList();
        Outcome[] outcomes = new Outcome[requests.size()];
        List<Priced> priced = new ArrayList<>();
        gas.forEach(SendMaker::awaitEnd);
        for (int i = 0; i < requests.size(); i++) {
            SendRequest request = requests.get(i);
            try {
                long limit = limit(gas.get(i));
                requireMayBegin(request);
                priced.add(new Priced(i, request, funds.take(request, limit), limit));
            } catch (RuntimeException e) {
                outcomes[i] = new Outcome.Refused(request, e);
            }
        }
        long first = funds.firstNonce(line);
        while (!priced.isEmpty()) {
            List<AccountSend> signed = signed(priced, first);
            CrashPoint.ACCOUNT_BEFORE_ROW.reached(() -> signed.get(0).order().kind());
            // Signing may have waited for the key.
            if (refuse(
                    request -> !request.mayBegin().getAsBoolean(), SendRefusal.notWantedAnyMore(), priced, outcomes)) {
                continue;
            }
            Journalled written = journal(signed);
            if (written instanceof Journalled.BoundElsewhere bound) {
                // Another method has bound the client token since the lookup.
                refuse(
                        request -> request.reference().equals(bound.reference()),
                        SendRefusal.referenceTaken(bound.reference()),
                        priced,
                        outcomes);
                continue;
            }
            List<AccountSend> sends = ((Journalled.Done) written).sends();
            for (int i = 0; i < sends.size(); i++) {
                Priced made = priced.get(i);
                outcomes[made.place()] = new Outcome.Made(made.request(), sends.get(i));
            }
            break;
        }
        return List.of(outcomes);
    }

    private List<AccountSend> signed(List<Priced> priced, long firstNonce) {
        List<AccountSend> signed = new ArrayList<>();
        for (Priced each : priced) {
            signed.add(sign(each.request(), each.payment(), each.gas(), firstNonce + signed.size()));
        }
        return signed;
    }

    /** Refuses the matching requests; the rest of the batch continues. Returns whether one was refused. */
    private static boolean refuse(
            Predicate<SendRequest> refused, Refusal why, List<Priced> priced, Outcome[] outcomes) {
        return priced.removeIf(each -> {
            boolean isRefused = refused.test(each.request());
            if (isRefused) {
                outcomes[each.place()] = new Outcome.Refused(each.request(), new RefusedException(why));
            }
            return isRefused;
        });
    }

    /** Returns the reason why nothing new is sent from an address; empty if there is none. */
    Optional<Refusal> obstacle(NonceCheck.Line line, Survey survey) {
        Optional<Refusal> unexplained = nonces.obstacle(line, survey);
        if (unexplained.isPresent()) {
            stops.accept(line.from(), unexplained.get().message());
            return unexplained;
        }
        if (survey.hasCode()) {
            return Optional.of(SendRefusal.hasCode(line.from()));
        }
        return survey.knowsType2() ? Optional.empty() : Optional.of(SendRefusal.oldChain());
    }

    /** Returns the gas limit of a request. Does not estimate it for a request that cannot be paid anyway. */
    private CompletionStage<Long> gas(SendRequest request, FundsLeft funds) {
        if (request.gas() instanceof Gas.Fixed fixed) {
            return CompletableFuture.completedFuture(fixed.limit());
        }
        BigInteger value = request.value() instanceof SendValue.Exactly exactly ? exactly.wei() : BigInteger.ONE;
        Optional<Refusal> tooLittle = funds.refusal(request, value, Replacer.TRANSFER_GAS);
        return tooLittle.isPresent()
                ? CompletableFuture.failedFuture(new RefusedException(tooLittle.get()))
                : setup.chain(request.kind().isPressing())
                        .asked(reads ->
                                withRoom(reads.estimateGas(request.from(), request.to(), value, request.data())));
    }

    /** Waits for an estimate; its failure is reported to its own request later. */
    private static void awaitEnd(CompletionStage<Long> gas) {
        try {
            await(gas);
        } catch (RuntimeException e) {
            LOG.debug("no gas limit: {}", e.toString());
        }
    }

    private static long limit(CompletionStage<Long> gas) {
        try {
            return await(gas);
        } catch (AccountException.Refused e) {
            throw new RefusedException(SendRefusal.wouldRevert(e.words()));
        }
    }

    private static long withRoom(long estimate) {
        if (estimate <= Replacer.TRANSFER_GAS) {
            return Replacer.TRANSFER_GAS;
        }
        if (estimate > MOST_GAS) {
            throw new RefusedException(SendRefusal.wouldRevert("it would take " + estimate + " gas"));
        }
        return estimate + estimate / 5;
    }

    /** Refuses a request whose condition no longer holds, because the queries of the chain may have taken long. */
    private static void requireMayBegin(SendRequest request) {
        if (!request.mayBegin().getAsBoolean()) {
            throw new RefusedException(SendRefusal.notWantedAnyMore());
        }
    }

    private AccountSend sign(SendRequest request, Payment payment, long gas, long nonce) {
        AccountSend.Call call = new AccountSend.Call(
                setup.chain().chainId(),
                SendSetup.bytes(request.from()),
                SendSetup.bytes(request.to()),
                payment.value(),
                request.data(),
                nonce,
                gas);
        long now = setup.clock().millis();
        return new AccountSend(
                AccountSend.NEW,
                new AccountSend.Order(
                        request.reference(),
                        request.digest(),
                        request.kind().name(),
                        request.feeCeiling(),
                        request.pushing().name(),
                        request.owner()),
                call,
                payment.prices().stream()
                        .map(price -> setup.version(call, price, now))
                        .toList(),
                AccountSend.Progress.begun(now));
    }

    private Journalled journal(List<AccountSend> sends) {
        Journalled written = written(sends);
        CrashPoint.ACCOUNT_AFTER_ROW.reached(() -> sends.get(0).order().kind());
        if (written instanceof Journalled.Taken taken) {
            throw new IllegalStateException("the journal already has a transaction with this reference or nonce: "
                    + taken.by().reference());
        }
        return written;
    }

    /**
     * Writes the rows. After any failure other than the store's own, it is unknown whether they were written: callers must be told, or they may pay
     * twice.
     */
    private Journalled written(List<AccountSend> sends) {
        try {
            return await(setup.store().open(sends));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new StoreException(
                    StoreException.Reason.UNKNOWN,
                    "whether the payment is journalled is unknown: " + e.getMessage(),
                    e);
        }
    }

    /**
     * Request paid from the funds.
     *
     * @param place index in the batch
     */
    private record Priced(int place, SendRequest request, Payment payment, long gas) {}

    /**
     * Amounts of one payment.
     *
     * @param prices price of each version, the most expensive one last
     */
    private record Payment(BigInteger value, List<GasPrice> prices) {}

    /** Remaining balance of an address while the requests of a batch are paid from it one by one. */
    private interface FundsLeft {
        long firstNonce(NonceCheck.Line line);

        Optional<Refusal> refusal(SendRequest request, BigInteger value, long gas);

        /** Pays a request from the funds. Throws {@link RefusedException} if {@link #refusal} finds a reason. */
        Payment take(SendRequest request, long gas);
    }

    private static final class OrdinaryFunds implements FundsLeft {
        private final Survey survey;
        private final BigInteger reserved;
        private final GasPrice price;
        private BigInteger left;

        private OrdinaryFunds(NonceCheck.Line line, Survey survey) {
            this.survey = survey;
            this.price = GasPrice.of(survey.market());
            this.left = survey.balance().subtract(Commitment.sum(line.commitments(), survey.count()));
            this.reserved = Survey.reservePerSwap(survey.market()).multiply(BigInteger.valueOf(line.openSwaps()));
        }

        @Override
        public long firstNonce(NonceCheck.Line line) {
            return NonceCheck.next(line, survey);
        }

        @Override
        public Payment take(SendRequest request, long gas) {
            BigInteger value = request.value() instanceof SendValue.Exactly exactly
                    ? exactly.wei()
                    : available().subtract(price.cost(gas)).max(BigInteger.ONE);
            refusal(request, value, gas).ifPresent(why -> {
                throw new RefusedException(why);
            });
            left = left.subtract(value).subtract(price.cost(gas));
            return new Payment(value, List.of(price));
        }

        @Override
        public Optional<Refusal> refusal(SendRequest request, BigInteger value, long gas) {
            BigInteger fee = price.cost(gas);
            if (request.feeCeiling().isPresent()
                    && fee.compareTo(request.feeCeiling().get()) > 0) {
                return Optional.of(
                        SendRefusal.feeTooHigh(fee, request.feeCeiling().get()));
            }
            BigInteger needed = value.add(fee);
            return needed.compareTo(available()) > 0
                    ? Optional.of(SendRefusal.insufficientBalance(
                            needed, available(), left.subtract(available()).max(BigInteger.ZERO)))
                    : Optional.empty();
        }

        private BigInteger available() {
            return left.subtract(reserved).max(BigInteger.ZERO);
        }
    }

    /** Funds for claims and refunds, which may use the reserve of open swaps, and are refused only if no endpoint would accept them. */
    private static final class PressingFunds implements FundsLeft {
        private final Urgency urgency;
        private final int quorum;
        private BigInteger committed;

        private final boolean knowsNonce;

        private PressingFunds(int quorum, NonceCheck.Line line, Urgency urgency) {
            this.urgency = urgency;
            this.quorum = quorum;
            this.knowsNonce = line.next().isPresent() || urgency.agreedCount().isPresent();
            this.committed = Commitment.sumOfWaiting(line.commitments());
            if (!urgency.isAnswered()) {
                throw new AccountException.Disagreement(1, false, List.of("none tells what gas costs"));
            }
        }

        @Override
        public long firstNonce(NonceCheck.Line line) {
            return line.next().orElseGet(urgency::count);
        }

        @Override
        public Payment take(SendRequest request, long gas) {
            // Nothing of a claim is revealed before it is journalled, so it can wait until its nonce is known; it must
            // not be journalled at a wrong nonce.
            if (request.kind() == SendKind.CLAIM && !knowsNonce) {
                throw new AccountException.Disagreement(
                        quorum, !urgency.latest().isEmpty(), List.of("the next nonce of the account"));
            }
            BigInteger value = request.value() instanceof SendValue.Exactly exactly ? exactly.wei() : BigInteger.ONE;
            refusal(request, value, gas).ifPresent(why -> {
                throw new RefusedException(why);
            });
            GasPrice dear = urgency.highest(perGas(request, urgency.highestBalance(), value, gas));
            BigInteger lowest = urgency.lowestBalance();
            if (dear.cost(gas).add(value).compareTo(lowest.subtract(committed)) <= 0) {
                committed = committed.add(dear.cost(gas)).add(value);
                return new Payment(value, List.of(dear));
            }
            BigInteger free = lowest.subtract(committed).max(BigInteger.ZERO);
            // Earlier sends may cost less than their commitments when they are mined.
            BigInteger most = perGas(request, free, value, gas)
                    .max(perGas(request, lowest, value, gas)
                            .min(urgency.plain(Urgency.BOUNDLESS).maxFee()));
            List<GasPrice> prices = new ArrayList<>();
            if (most.signum() > 0) {
                GasPrice payable = urgency.plain(most);
                committed = committed.add(payable.cost(gas)).add(value);
                prices.add(payable);
            }
            if (prices.isEmpty() || prices.get(0).maxFee().compareTo(dear.maxFee()) < 0) {
                prices.add(dear);
            }
            return new Payment(value, List.copyOf(prices));
        }

        private static BigInteger perGas(SendRequest request, BigInteger balance, BigInteger value, long gas) {
            BigInteger most = balance.subtract(value).max(BigInteger.ZERO);
            return request.feeCeiling().map(most::min).orElse(most).divide(BigInteger.valueOf(gas));
        }

        /** Accepts a claim or a refund if the balance covers the base fee that the next block may require, even if not the usual fee. */
        @Override
        public Optional<Refusal> refusal(SendRequest request, BigInteger value, long gas) {
            BigInteger least = urgency.lowestBaseFee().add(BigInteger.ONE).multiply(BigInteger.valueOf(gas));
            if (request.feeCeiling().filter(most -> most.compareTo(least) < 0).isPresent()) {
                return Optional.of(
                        SendRefusal.feeTooHigh(least, request.feeCeiling().get()));
            }
            BigInteger needed = value.add(least);
            return needed.compareTo(urgency.highestBalance()) > 0
                    ? Optional.of(SendRefusal.insufficientBalance(needed, urgency.highestBalance(), BigInteger.ZERO))
                    : Optional.empty();
        }
    }
}
