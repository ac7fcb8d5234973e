package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore.Journalled;
import org.chainwalletd.store.CrashPoint;

/**
 * Makes transactions of requests of one address, together: one look at the chain, one commit of the journal. When the stage has failed no
 * nonce was used, unless the store does not know whether it has written.
 */
final class SendMaker {
    private static final long TRANSFER_GAS = 21_000;
    private static final long MOST_GAS = 2_000_000;

    private final SendSetup setup;

    SendMaker(SendSetup setup) {
        this.setup = setup;
    }

    /**
     * What is known of an address before.
     *
     * @param next the nonce after the highest that was ever given; empty when none was
     * @param stolen a nonce of ours that somebody else has used
     * @param commitments of what is not mined
     * @param openSwaps that still need gas
     */
    record Line(EvmAddress from, OptionalLong next, OptionalLong stolen, List<Commitment> commitments, int openSwaps) {}

    /** What became of one request. */
    sealed interface Outcome {
        SendRequest request();

        record Made(SendRequest request, AccountSend send) implements Outcome {}

        record Refused(SendRequest request, Throwable why) implements Outcome {}
    }

    /** One outcome for each request, in their order; {@linkplain SendKind#isPressing pressing} ones are never mixed with others. */
    CompletionStage<List<Outcome>> make(Line line, List<SendRequest> requests) {
        boolean pressing = requests.get(0).kind().isPressing();
        CompletionStage<Survey> survey = pressing
                ? Survey.ofPressing(setup.chain(), line.from(), setup.executor())
                : Survey.of(setup.chain(), line.from(), setup.executor());
        return survey.thenComposeAsync(found -> make(line, found, requests), setup.executor());
    }

    private CompletionStage<List<Outcome>> make(Line line, Survey survey, List<SendRequest> requests) {
        Optional<SendRefusal> obstacle = obstacle(line, survey);
        if (obstacle.isPresent()) {
            SendException why = new SendException(obstacle.get());
            return CompletableFuture.completedFuture(requests.stream()
                    .map(request -> (Outcome) new Outcome.Refused(request, why))
                    .toList());
        }
        List<CompletableFuture<Long>> estimates = requests.stream()
                .map(request -> gas(request, line, survey).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(estimates.stream()
                        .map(estimate -> estimate.handleAsync((gas, failure) -> null, setup.executor()))
                        .toArray(CompletableFuture[]::new))
                .thenComposeAsync(done -> allot(line, survey, requests, estimates), setup.executor());
    }

    /** Why nothing is sent from an address, whatever it is for. */
    Optional<SendRefusal> obstacle(Line line, Survey survey) {
        if (!survey.isAgreed()) {
            return Optional.empty();
        }
        long known = setup.knownNonce().orElse(0);
        if (line.stolen().isPresent() && line.stolen().getAsLong() >= known) {
            return Optional.of(new SendRefusal.NonceGap(
                    line.from(),
                    line.stolen().getAsLong(),
                    Math.max(survey.count(), line.stolen().getAsLong() + 1)));
        }
        if (line.next().isPresent() && survey.count() > Math.max(line.next().getAsLong(), known)) {
            return Optional.of(new SendRefusal.NonceGap(line.from(), line.next().getAsLong(), survey.count()));
        }
        if (survey.hasCode()) {
            return Optional.of(new SendRefusal.HasCode(line.from()));
        }
        return survey.knowsType2() ? Optional.empty() : Optional.of(new SendRefusal.OldChain());
    }

    /** What cannot be paid in any case is not estimated. */
    private CompletionStage<Long> gas(SendRequest request, Line line, Survey survey) {
        if (request.gas() instanceof Gas.Fixed fixed) {
            return CompletableFuture.completedFuture(fixed.limit());
        }
        BigInteger value = request.value() instanceof SendValue.Exactly exactly ? exactly.wei() : BigInteger.ONE;
        Purse purse = new Purse(line, survey);
        Optional<SendRefusal> tooLittle = purse.refusal(request, value, TRANSFER_GAS);
        if (tooLittle.isPresent()) {
            return CompletableFuture.failedFuture(new SendException(tooLittle.get()));
        }
        return setup.chain()
                .any()
                .estimateGas(request.from(), request.to(), value, request.data())
                .handleAsync(SendMaker::limit, setup.executor());
    }

    private static long limit(Long estimate, Throwable failure) {
        if (failure != null) {
            if (Causes.of(failure) instanceof AccountException.Refused refused) {
                throw new SendException(new SendRefusal.WouldRevert(refused.words()));
            }
            throw Causes.of(failure) instanceof RuntimeException known ? known : new IllegalStateException(failure);
        }
        if (estimate <= TRANSFER_GAS) {
            return TRANSFER_GAS;
        }
        if (estimate > MOST_GAS) {
            throw new SendException(new SendRefusal.WouldRevert("it would take " + estimate + " gas"));
        }
        return estimate + estimate / 5;
    }

    private CompletionStage<List<Outcome>> allot(
            Line line, Survey survey, List<SendRequest> requests, List<CompletableFuture<Long>> estimates) {
        Purse purse = new Purse(line, survey);
        long ours = line.next().orElse(survey.count());
        long nonce = survey.isAgreed() ? Math.max(ours, survey.count()) : ours;
        Outcome[] outcomes = new Outcome[requests.size()];
        List<Integer> places = new ArrayList<>();
        List<CompletableFuture<AccountSend>> signed = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            SendRequest request = requests.get(i);
            try {
                long gas = estimates.get(i).join();
                requireBegun(request);
                Payment payment = purse.take(request, gas);
                places.add(i);
                signed.add(sign(request, payment.value(), gas, payment.price(), nonce++)
                        .toCompletableFuture());
            } catch (RuntimeException e) {
                outcomes[i] = new Outcome.Refused(request, Causes.of(e));
            }
        }
        return CompletableFuture.allOf(signed.toArray(CompletableFuture[]::new))
                .thenComposeAsync(
                        done -> journal(
                                signed.stream().map(CompletableFuture::join).toList()),
                        setup.executor())
                .thenApplyAsync(
                        sends -> {
                            for (int i = 0; i < sends.size(); i++) {
                                int place = places.get(i);
                                outcomes[place] = new Outcome.Made(requests.get(place), sends.get(i));
                            }
                            return List.of(outcomes);
                        },
                        setup.executor());
    }

    /** Looking at the chain may have taken so long that it is not wanted any more. */
    private static void requireBegun(SendRequest request) {
        if (!request.mayBegin().getAsBoolean()) {
            throw new SendException(new SendRefusal.NotWantedAnyMore());
        }
    }

    private CompletionStage<AccountSend> sign(
            SendRequest request, BigInteger value, long gas, GasPrice price, long nonce) {
        DynamicFeeTransaction transaction = new DynamicFeeTransaction(
                setup.chain().chainId(),
                BigInteger.valueOf(nonce),
                price.tip(),
                price.maxFee(),
                BigInteger.valueOf(gas),
                request.to(),
                value,
                request.data());
        return setup.sign(request.from(), transaction)
                .thenApplyAsync(
                        signed -> {
                            long now = setup.clock().millis();
                            return new AccountSend(
                                    AccountSend.NEW,
                                    new AccountSend.Order(
                                            request.reference(),
                                            RequestDigest.of(request),
                                            request.kind().name(),
                                            request.feeCeiling(),
                                            request.pushing().name(),
                                            request.owner()),
                                    new AccountSend.Call(
                                            setup.chain().chainId(),
                                            SendSetup.bytes(request.from()),
                                            SendSetup.bytes(request.to()),
                                            value,
                                            request.data(),
                                            nonce,
                                            gas),
                                    List.of(new AccountSend.Version(
                                            signed.hash(), signed.raw(), price.tip(), price.maxFee(), false, now)),
                                    AccountSend.Progress.begun(now));
                        },
                        setup.executor());
    }

    private CompletionStage<List<AccountSend>> journal(List<AccountSend> sends) {
        if (sends.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        CrashPoint.ACCOUNT_BEFORE_ROW.reached(() -> sends.get(0).order().kind());
        return setup.store()
                .open(sends)
                .thenApplyAsync(
                        written -> {
                            CrashPoint.ACCOUNT_AFTER_ROW.reached(
                                    () -> sends.get(0).order().kind());
                            if (written instanceof Journalled.Done done) {
                                return done.sends();
                            }
                            throw new IllegalStateException("the journal has a transaction of this name or nonce"
                                    + " already: "
                                    + ((Journalled.Taken) written).by().reference());
                        },
                        setup.executor());
    }

    private record Payment(BigInteger value, GasPrice price) {}

    /** What is left of the balance while one request after the other takes from it. */
    private static final class Purse {
        private final BigInteger reserved;
        private final GasPrice price;
        private final BigInteger baseFee;
        private BigInteger left;

        private Purse(Line line, Survey survey) {
            this.price = GasPrice.of(survey.market());
            this.baseFee = survey.market().baseFee();
            this.left = survey.balance().subtract(Commitment.sum(line.commitments(), survey.count()));
            this.reserved = Survey.reservePerSwap(survey.market()).multiply(BigInteger.valueOf(line.openSwaps()));
        }

        Payment take(SendRequest request, long gas) {
            BigInteger value = request.value() instanceof SendValue.Exactly exactly
                    ? exactly.wei()
                    : available(request).subtract(price.cost(gas)).max(BigInteger.ONE);
            refusal(request, value, gas).ifPresent(why -> {
                throw new SendException(why);
            });
            GasPrice paid = price(request, value, gas);
            left = left.subtract(value).subtract(paid.cost(gas));
            return new Payment(value, paid);
        }

        Optional<SendRefusal> refusal(SendRequest request, BigInteger value, long gas) {
            BigInteger fee = price(request, value, gas).cost(gas);
            if (request.feeCeiling().isPresent()
                    && fee.compareTo(request.feeCeiling().get()) > 0) {
                return Optional.of(
                        new SendRefusal.FeeTooHigh(fee, request.feeCeiling().get()));
            }
            BigInteger needed = value.add(fee);
            BigInteger available = available(request);
            return needed.compareTo(available) > 0
                    ? Optional.of(new SendRefusal.InsufficientBalance(
                            needed, available, left.subtract(available).max(BigInteger.ZERO)))
                    : Optional.empty();
        }

        /** What is pressing goes out with as much as there is, when the next block could take it with that. */
        private GasPrice price(SendRequest request, BigInteger value, long gas) {
            if (!request.kind().isPressing()) {
                return price;
            }
            BigInteger most = available(request).subtract(value);
            BigInteger perGas = request.feeCeiling().map(most::min).orElse(most).divide(BigInteger.valueOf(gas));
            boolean isEnough = perGas.compareTo(baseFee) > 0;
            return isEnough && perGas.compareTo(price.maxFee()) < 0
                    ? new GasPrice(price.tip().min(perGas), perGas)
                    : price;
        }

        /** What is kept for open swaps is theirs: their claims and refunds take from it. */
        private BigInteger available(SendRequest request) {
            return request.kind().isPressing()
                    ? left.max(BigInteger.ZERO)
                    : left.subtract(reserved).max(BigInteger.ZERO);
        }
    }
}
