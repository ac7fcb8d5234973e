package org.chainwalletd.account;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.account.OpenSends.Commitment;
import org.chainwalletd.account.endpoints.AccountChain.EndpointAnswer;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.evm.EvmAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the chain's transaction count of an address with our journal before a new transaction gets a nonce. Remembers at which block an endpoint
 * first reported more transactions than the journal explains: once the settled block has reached that height, its count shows whether the report
 * was true. The memory is lost when the process ends and when background work starts again; a new report must then be waited out once more.
 * Thread-safe.
 */
final class NonceCheck {
    private static final Logger LOG = LoggerFactory.getLogger(NonceCheck.class);

    private final OptionalLong vouched;
    private final Map<Witness, Claim> ahead = new ConcurrentHashMap<>();

    /**
     * Knowledge of the journal about an address.
     *
     * @param next nonce after the highest one ever assigned; empty if none was assigned
     * @param covered all nonces below this had been assigned when {@code commitments} was read
     * @param stolen nonce of ours that another sender has used
     * @param commitments commitments of the transactions that are not final
     * @param openSwaps number of swaps that still need gas
     */
    record Line(
            EvmAddress from,
            OptionalLong next,
            long covered,
            OptionalLong stolen,
            List<Commitment> commitments,
            int openSwaps) {}

    private record Witness(EvmAddress from, String endpoint) {}

    /** @param height height of the endpoint's newest block when it first reported this count */
    private record Claim(long named, long height) {
        /** A larger count is a new claim, with its own height. */
        static Claim newest(Claim before, Claim now) {
            return now.named > before.named ? now : before;
        }
    }

    /** @param vouched the operator's assurance that every transaction below this nonce is accounted for */
    NonceCheck(OptionalLong vouched) {
        this.vouched = vouched;
    }

    /** Forgets the counts that endpoints reported, because another daemon may have sent since. */
    void forget() {
        ahead.clear();
    }

    /** Returns the nonce of the next transaction that is not pressing, provided that {@link #obstacle} finds no reason against it. */
    static long next(Line line, Survey survey) {
        return Math.max(line.next().orElse(survey.count()), survey.count());
    }

    Optional<Refusal> obstacle(Line line, Survey survey) {
        return gap(line, survey).or(() -> hole(line, survey)).or(() -> ahead(line, survey));
    }

    /** Refuses when another sender has used nonces of the address. */
    private Optional<Refusal> gap(Line line, Survey survey) {
        long known = vouched.orElse(0);
        if (line.stolen().isPresent() && line.stolen().getAsLong() >= known) {
            long lost = line.stolen().getAsLong();
            return Optional.of(SendRefusal.nonceGap(line.from(), lost, Math.max(survey.count(), lost + 1)));
        }
        return line.next().isPresent() && survey.count() > Math.max(line.next().getAsLong(), known)
                ? Optional.of(SendRefusal.nonceGap(line.from(), line.next().getAsLong(), survey.count()))
                : Optional.empty();
    }

    /** Refuses when the surveyed block lacks a transaction that is over according to the journal, and is therefore not sent again. */
    private static Optional<Refusal> hole(Line line, Survey survey) {
        Set<Long> open = new HashSet<>();
        line.commitments().forEach(commitment -> open.add(commitment.nonce()));
        for (long nonce = survey.count(); nonce < line.covered(); nonce++) {
            if (!open.contains(nonce)) {
                return Optional.of(SendRefusal.nonceBehind(line.from(), nonce, survey.count()));
            }
        }
        return Optional.empty();
    }

    private Optional<Refusal> ahead(Line line, Survey survey) {
        long next = next(line, survey);
        Optional<Refusal> found = Optional.empty();
        for (EndpointAnswer<Survey.Latest> told : survey.latest()) {
            Witness witness = new Witness(line.from(), told.endpoint());
            long named = told.answer().count();
            if (named <= next) {
                ahead.remove(witness);
                continue;
            }
            Claim claim =
                    ahead.merge(witness, new Claim(named, told.answer().block().number()), Claim::newest);
            if (survey.settledNumber() < claim.height()) {
                found = Optional.of(SendRefusal.nonceAhead(line.from(), told.endpoint(), named, next));
            } else {
                LOG.warn(
                        "account-chain endpoint {} reports {} transactions of {}; according to the settled block it has {}",
                        told.endpoint(),
                        named,
                        line.from(),
                        survey.count());
            }
        }
        return found;
    }
}
