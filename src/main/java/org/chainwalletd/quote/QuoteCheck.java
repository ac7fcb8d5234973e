package org.chainwalletd.quote;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.U64;
import org.chainwalletd.crypto.Ed25519;

/** The checks of a verifier in their order (chain protocol, appendix D.3), each with the reason that is told when it fails. */
enum QuoteCheck {
    VERSION("the version is not 1"),
    CURRENCY_LENGTH("the currency has not 3 to 12 characters"),
    CURRENCY_LETTERS("the currency has other characters than A to Z and 0 to 9"),
    MEMO_LENGTH("the memo has more than 256 bytes"),
    SIGNER_NOT_WEAK("the signer's key is weak or no point of the curve"),
    PAYEE_NOT_WEAK("the payee's key is weak or no point of the curve"),
    PAYER_NOT_WEAK("the payer's key is weak or no point of the curve"),
    SIGNER_IS_A_POINT("the signer's key is no point of the curve"),
    SIGNATURE("the signature is not the signer's over this quote on this chain"),
    TIMES_IN_ORDER("the quote expires before it was issued"),
    LIFE("the quote lives for more than 3600 seconds"),
    NOT_FROM_THE_FUTURE("the quote was issued more than 60 seconds in the future"),
    NOT_EXPIRED("the quote has expired");

    /** By how many seconds the clocks of issuer and verifier may differ. */
    private static final long SKEW = 60;

    /** Those that an issuer's terms must pass before anything is signed. */
    private static final Set<QuoteCheck> OF_TERMS =
            Set.of(CURRENCY_LENGTH, CURRENCY_LETTERS, MEMO_LENGTH, PAYEE_NOT_WEAK, PAYER_NOT_WEAK);

    private final String reason;

    QuoteCheck(String reason) {
        this.reason = reason;
    }

    String reason() {
        return reason;
    }

    /** The first check that {@code signed} does not pass on the chain of {@code genesis}. */
    static Optional<QuoteCheck> firstFailed(SignedQuote signed, ChainProfile chain, Hash256 genesis, Instant now) {
        for (QuoteCheck check : values()) {
            if (!check.passes(signed, chain, genesis, now.getEpochSecond())) {
                return Optional.of(check);
            }
        }
        return Optional.empty();
    }

    /** The first check that terms fail which somebody wants to issue. */
    static Optional<QuoteCheck> firstFailedTerm(Quote terms) {
        for (QuoteCheck check : values()) {
            if (OF_TERMS.contains(check) && !check.passesAlone(terms)) {
                return Optional.of(check);
            }
        }
        return Optional.empty();
    }

    private boolean passes(SignedQuote signed, ChainProfile chain, Hash256 genesis, long now) {
        Quote quote = signed.quote();
        return switch (this) {
            case SIGNER_NOT_WEAK, SIGNER_IS_A_POINT -> isUsable(signed.signer());
            case SIGNATURE ->
                Ed25519.verify(
                        signed.signer().toArray(),
                        QuoteImage.encode(chain, genesis, quote),
                        signed.signature().toArray());
            case TIMES_IN_ORDER -> U64.compare(quote.issuedAt(), quote.expiresAt()) < 0;
            case LIFE -> U64.compare(quote.expiresAt() - quote.issuedAt(), Quote.MAX_LIFE) <= 0;
            case NOT_FROM_THE_FUTURE -> U64.compare(quote.issuedAt(), now + SKEW) <= 0;
            case NOT_EXPIRED -> U64.compare(now, quote.expiresAt()) < 0;
            default -> passesAlone(quote);
        };
    }

    /** Without signer, chain and clock. */
    private boolean passesAlone(Quote quote) {
        return switch (this) {
            case VERSION -> quote.version() == Quote.VERSION;
            case CURRENCY_LENGTH -> quote.currencyBytes().length >= 3 && quote.currencyBytes().length <= 12;
            case CURRENCY_LETTERS ->
                quote.currency()
                        .chars()
                        .allMatch(letter -> (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9'));
            case MEMO_LENGTH -> quote.memoBytes().length <= Quote.MAX_MEMO_BYTES;
            case PAYEE_NOT_WEAK -> isUsable(quote.payee());
            case PAYER_NOT_WEAK -> quote.payer().map(QuoteCheck::isUsable).orElse(true);
            default -> throw new IllegalStateException(this + " needs more than the quote");
        };
    }

    private static boolean isUsable(PublicKey key) {
        return Ed25519.isUsable(key.toArray());
    }
}
