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
 * Compares the chain's count of an address with our journal before something new gets a nonce. Remembers since which block an endpoint has named
 * more transactions than the journal explains: once the settled block is past it, the count there has shown whether that was true. Forgets
 * with the process, and when background work begins anew, which costs the time to settle once more. Safe for threads.
 */
final class NonceCheck {
    private static final Logger LOG = LoggerFactory.getLogger(NonceCheck.class);

    private final OptionalLong vouched;
    private final Map<Witness, Claim> ahead = new ConcurrentHashMap<>();

    /**
     * Knowledge of the journal about an address.
     *
     * @param next the nonce after the highest that was ever given; empty when none was
     * @param covered nonces below this were all given when {@code commitments} were read
     * @param stolen a nonce of ours that somebody else has used
     * @param commitments of what is not final
     * @param openSwaps that still need gas
     */
    record Line(
            EvmAddress from,
            OptionalLong next,
            long covered,
            OptionalLong stolen,
            List<Commitment> commitments,
            int openSwaps) {}

    private record Witness(EvmAddress from, String endpoint) {}

    /** @param height of the endpoint's newest block when it first named so many */
    private record Claim(long named, long height) {
        /** A larger number is another claim. */
        static Claim newest(Claim before, Claim now) {
            return now.named > before.named ? now : before;
        }
    }

    /** @param vouched the operator's word that every transaction below this nonce is accounted for */
    NonceCheck(OptionalLong vouched) {
        this.vouched = vouched;
    }

    /** Forgets what endpoints have named: since then another daemon may have sent. */
    void forget() {
        ahead.clear();
    }

    /** The nonce of the next transaction that is not pressing, where {@link #obstacle} finds none. */
    static long next(Line line, Survey survey) {
        return Math.max(line.next().orElse(survey.count()), survey.count());
    }

    Optional<Refusal> obstacle(Line line, Survey survey) {
        return gap(line, survey).or(() -> hole(line, survey)).or(() -> ahead(line, survey));
    }

    /** Transactions that somebody else has made. */
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

    /** Transactions of ours that the chain does not have at a block where they were settled, or that nobody will send any more. */
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
                        "account-chain endpoint {} names {} transactions of {}; the settled block shows that they are {}",
                        told.endpoint(),
                        named,
                        line.from(),
                        survey.count());
            }
        }
        return found;
    }
}
