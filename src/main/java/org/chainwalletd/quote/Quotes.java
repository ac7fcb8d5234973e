package org.chainwalletd.quote;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.chainwalletd.api.Quoting.QuoteCredential;
import org.chainwalletd.api.Quoting.QuoteIssue;
import org.chainwalletd.api.Quoting.QuoteVerify;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.U64;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.node.ChainIdentity;

/**
 * Issues and verifies quotes for the chain that the daemon signs for: the genesis id in an image is always the one that
 * {@link ChainIdentity} has checked, never one from a caller or a node.
 */
public final class Quotes {
    private static final int PREIMAGE_LENGTH = 32;

    private final ChainProfile chain;
    private final Signer signer;
    private final ChainIdentity identity;
    private final InstantSource clock;
    private final SecureRandom random;
    private final Executor executor;

    /**
     * @param executor verifies and assembles answers: a pool for computations
     */
    public Quotes(
            ChainProfile chain,
            Signer signer,
            ChainIdentity identity,
            InstantSource clock,
            SecureRandom random,
            Executor executor) {
        this.chain = chain;
        this.signer = signer;
        this.identity = identity;
        this.clock = clock;
        this.random = random;
        this.executor = executor;
    }

    /**
     * Issues a quote. Fails with {@link RefusedException} for terms that are invalid for every quote, with {@link KeyringException} when
     * the keyring cannot sign for the issuer, and with {@link org.chainwalletd.node.NodeException} when the chain is not known yet.
     */
    public CompletionStage<QuoteIssue.Result> issue(QuoteIssue terms) {
        if (terms.ttlSecs() == 0 || U64.compare(terms.ttlSecs(), Quote.MAX_LIFE) > 0) {
            return CompletableFuture.failedStage(
                    RefusedException.invalidParams("a quote lives for 1 to " + Quote.MAX_LIFE + " seconds"));
        }
        Quote quote = quote(terms);
        Optional<QuoteCheck> refused = QuoteCheck.firstFailedTerm(quote);
        if (refused.isPresent()) {
            return CompletableFuture.failedStage(
                    RefusedException.invalidParams(refused.get().reason()));
        }
        return signer.find(terms.address())
                .thenComposeAsync(
                        found -> found.isPresent()
                                ? identity.genesisForSigning()
                                : CompletableFuture.failedStage(unknown(terms.address())),
                        executor)
                .thenComposeAsync(genesis -> sign(terms.address(), quote, genesis), executor);
    }

    private Quote quote(QuoteIssue terms) {
        long now = clock.instant().getEpochSecond();
        return new Quote(
                Quote.VERSION,
                terms.quoteId().orElseGet(this::randomId),
                terms.currency(),
                terms.amountMinor(),
                terms.rateChainPerUnit(),
                terms.chainAmount(),
                terms.payeePubkey(),
                terms.payerPubkey(),
                now,
                now + terms.ttlSecs(),
                terms.memo().orElse(""));
    }

    private Bytes randomId() {
        byte[] id = new byte[Quote.ID_LENGTH];
        random.nextBytes(id);
        return Bytes.wrap(id);
    }

    private CompletionStage<QuoteIssue.Result> sign(Address issuer, Quote quote, Hash256 genesis) {
        byte[] image = QuoteImage.encode(chain, genesis, quote);
        if (!QuoteImage.decode(chain, image).quote().equals(quote)) {
            throw new IllegalStateException("the encoded quote decodes to a different quote");
        }
        return signer.sign(issuer, image)
                .thenApplyAsync(
                        made -> issued(
                                new SignedQuote(quote, made.publicKey(), Ed25519Signature.of(made.bytes())),
                                genesis,
                                image),
                        executor);
    }

    private QuoteIssue.Result issued(SignedQuote signed, Hash256 genesis, byte[] image) {
        try (SecretBytes preimage = SecretBytes.random(PREIMAGE_LENGTH, random)) {
            return new QuoteIssue.Result(
                    credential(signed),
                    signed.signature(),
                    chain.addressOf(signed.signer()),
                    chain.addressOf(signed.quote().payee()),
                    genesis,
                    Bytes.wrap(image),
                    preimage.use(Quotes::hex),
                    preimage.use(HtlcWitness::hashLockOf));
        }
    }

    private static QuoteCredential credential(SignedQuote signed) {
        Quote quote = signed.quote();
        return new QuoteCredential(
                quote.version(),
                quote.id(),
                quote.currency(),
                quote.amountMinor(),
                quote.rate(),
                quote.chainAmount(),
                quote.payee(),
                quote.payer(),
                quote.issuedAt(),
                quote.expiresAt(),
                quote.memo(),
                signed.signer(),
                signed.signature());
    }

    /** Encodes as bytes, since a string could not be overwritten. */
    private static SecretBytes hex(byte[] secret) {
        byte[] hex = new byte[2 * secret.length];
        for (int i = 0; i < secret.length; i++) {
            hex[2 * i] = (byte) HexFormat.of().toHighHexDigit(secret[i]);
            hex[2 * i + 1] = (byte) HexFormat.of().toLowHexDigit(secret[i]);
        }
        return SecretBytes.takeOver(hex);
    }

    /**
     * Verifies that the signer signed this quote, not that the signer was entitled to. Fails with
     * {@link org.chainwalletd.node.NodeException} when the chain is not known yet.
     */
    public CompletionStage<QuoteVerify.Result> verify(SignedQuote signed) {
        return identity.genesisForSigning()
                .thenApplyAsync(
                        genesis -> {
                            Optional<QuoteCheck> failed =
                                    QuoteCheck.firstFailed(signed, chain, genesis, clock.instant());
                            return new QuoteVerify.Result(
                                    failed.isEmpty(),
                                    failed.map(QuoteCheck::reason),
                                    chain.addressOf(signed.signer()),
                                    chain.addressOf(signed.quote().payee()),
                                    genesis);
                        },
                        executor);
    }

    private static KeyringException unknown(Address address) {
        return new KeyringException(
                KeyringException.Reason.UNKNOWN_ADDRESS, "the keyring has no key of address " + address);
    }

    /** Checks of a verifier in their order (chain protocol, appendix D.3), each with the reason that is reported when it fails. */
    enum QuoteCheck {
        VERSION("the version is not 1"),
        CURRENCY_LENGTH("the currency has not 3 to 12 characters"),
        CURRENCY_LETTERS("the currency has other characters than A to Z and 0 to 9"),
        MEMO_LENGTH("the memo has more than 256 bytes"),
        SIGNER_NOT_WEAK("the signer's key is weak or no point of the curve"),
        PAYEE_NOT_WEAK("the payee's key is weak or no point of the curve"),
        PAYER_NOT_WEAK("the payer's key is weak or no point of the curve"),
        /** Never the first to fail, because {@link #SIGNER_NOT_WEAK} implies it; present because the specification numbers the checks. */
        SIGNER_IS_A_POINT("the signer's key is no point of the curve"),
        SIGNATURE("the signature is not the signer's over this quote on this chain"),
        TIMES_IN_ORDER("the quote expires before it was issued"),
        LIFE("the quote lives for more than 3600 seconds"),
        NOT_FROM_THE_FUTURE("the quote was issued more than 60 seconds in the future"),
        NOT_EXPIRED("the quote has expired");

        /** Maximum difference between the clocks of issuer and verifier, in seconds. */
        private static final long SKEW = 60;

        /** Checks that an issuer's terms must pass before anything is signed. */
        private static final Set<QuoteCheck> OF_TERMS =
                Set.of(CURRENCY_LENGTH, CURRENCY_LETTERS, MEMO_LENGTH, PAYEE_NOT_WEAK, PAYER_NOT_WEAK);

        private final String reason;

        QuoteCheck(String reason) {
            this.reason = reason;
        }

        String reason() {
            return reason;
        }

        /** First check that {@code signed} does not pass on the chain of {@code genesis}. */
        static Optional<QuoteCheck> firstFailed(SignedQuote signed, ChainProfile chain, Hash256 genesis, Instant now) {
            return Stream.of(values())
                    .filter(check -> !check.passes(signed, chain, genesis, now.getEpochSecond()))
                    .findFirst();
        }

        /** First check that terms fail before they are issued. */
        static Optional<QuoteCheck> firstFailedTerm(Quote terms) {
            return Stream.of(values())
                    .filter(check -> OF_TERMS.contains(check) && !check.passesAlone(terms))
                    .findFirst();
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

        /** Result of a check that needs neither signer nor chain nor clock. */
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
                default -> throw new IllegalStateException(this + " cannot be checked from the quote alone");
            };
        }

        private static boolean isUsable(PublicKey key) {
            return Ed25519.isUsable(key.toArray());
        }
    }

    /**
     * Quote with the signature that makes it a credential. The signer's key is not part of the signed bytes.
     *
     * @param signature over {@link QuoteImage}
     */
    public record SignedQuote(Quote quote, PublicKey signer, Ed25519Signature signature) {}
}
