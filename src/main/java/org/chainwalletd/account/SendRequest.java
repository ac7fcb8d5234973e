package org.chainwalletd.account;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.chainwalletd.account.endpoints.Quantities;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSendStore;

/**
 * Request to make a transaction on the account chain.
 *
 * @param reference the caller's unique name for it, such as {@code swap/<id>/lock}. A reference is permanently bound to one transaction; with other
 *     values it is refused with {@link SendRefusal#referenceTaken}. Up to {@link #LONGEST_REFERENCE} printable ASCII characters
 * @param data call data. A claim's contains the secret, so a claim may be requested only once the secret may be revealed
 * @param owner key by which it can be found: a swap's id, or {@link #ownedBy} a named access token, which is then the only one that may use the
 *     reference; printable ASCII
 * @param feeCeiling maximum total cost of gas in wei (gas limit × fee), including later raises; empty: limited only by the balance
 * @param mayBegin evaluated before it is signed, and again immediately before it is journalled; if false, the request is refused and no nonce is
 *     used
 */
public record SendRequest(
        String reference,
        SendKind kind,
        EvmAddress from,
        EvmAddress to,
        SendValue value,
        Bytes data,
        Gas gas,
        Optional<BigInteger> feeCeiling,
        Pushing pushing,
        Optional<String> owner,
        BooleanSupplier mayBegin) {
    public static final int LONGEST_REFERENCE = 256;
    /** Maximum length of call data in bytes; a lock has 100. */
    public static final int LONGEST_DATA = 4_096;

    public SendRequest {
        requirePrintable(reference);
        owner.ifPresent(SendRequest::requirePrintable);
        if (data.length() > LONGEST_DATA) {
            throw new IllegalArgumentException("call data of " + data.length() + " bytes, at most " + LONGEST_DATA);
        }
        if (pushing == Pushing.COPY) {
            throw new IllegalArgumentException("a copy cannot be requested");
        }
    }

    /** Creates a request without a condition. */
    public SendRequest(
            String reference,
            SendKind kind,
            EvmAddress from,
            EvmAddress to,
            SendValue value,
            Bytes data,
            Gas gas,
            Optional<BigInteger> feeCeiling,
            Pushing pushing,
            Optional<String> owner) {
        this(reference, kind, from, to, value, data, gas, feeCeiling, pushing, owner, () -> true);
    }

    /** Returns the owner of requests made with the access token of this name. */
    public static String ownedBy(String accessToken) {
        return AccountSendStore.ACCESS_TOKEN + accessToken;
    }

    /** Omits the call data, because a claim's contains the secret. */
    @Override
    public String toString() {
        return "SendRequest[" + reference + ", " + kind + ", from=" + from + ", to=" + to + "]";
    }

    /** Value that is paid. */
    public sealed interface SendValue {
        /** Fixed value in wei. */
        record Exactly(BigInteger wei) implements SendValue {
            public Exactly {
                if (wei.signum() < 0 || wei.bitLength() > 256) {
                    throw new IllegalArgumentException("not an amount of wei: " + wei);
                }
            }
        }

        /** Whole balance less the fee, open sends and the needs of open swaps; determined when the nonce is assigned. */
        record All() implements SendValue {}

        static SendValue exactly(BigInteger wei) {
            return new Exactly(wei);
        }
    }

    /** Gas limit. */
    public sealed interface Gas {
        /** Fixed limit, for example for a claim, whose call data must not reach an endpoint before it is sent. */
        record Fixed(long limit) implements Gas {}

        /** Result of {@code eth_estimateGas} plus a fifth. */
        record Estimated() implements Gas {}
    }

    /** Party that resends a transaction and raises its fee. */
    public enum Pushing {
        /** The owner of the nonces: resends it until it is final, also after a restart, and raises its fee when it is stuck. */
        BY_ITSELF,
        /** As {@link #BY_ITSELF}, with the fee raised every 30 seconds: a claim against a deadline. */
        URGENTLY,
        /**
         * The caller, with {@link AccountSends#push} while its own conditions hold, or it ends the send with {@link AccountSends#cancel}. The
         * transaction is sent once when it is made. Later transactions of the same address wait for it.
         */
        BY_OWNER,
        /**
         * A copy of a claim or a refund at a nonce that an endpoint reported. It is sent while {@link AccountSends#pursue} is called for the
         * original and an endpoint reports its nonce, and never delays another transaction. Not allowed in requests.
         */
        COPY
    }

    private static void requirePrintable(String text) {
        if (text.isEmpty() || text.length() > LONGEST_REFERENCE || text.chars().anyMatch(c -> c < 0x20 || c > 0x7e)) {
            throw new IllegalArgumentException("1 to " + LONGEST_REFERENCE + " printable ASCII characters");
        }
    }

    /**
     * Returns the hash of the request, to which its reference is bound. The paying address is not included, so that a token still identifies the
     * same payment after the key was replaced, and never pays twice. The digest is in the store, so the order of the hashed fields must never
     * change.
     */
    Hash256 digest() {
        String gasText = gas() instanceof SendRequest.Gas.Fixed fixed ? Long.toString(fixed.limit()) : "estimated";
        String amount = value() instanceof SendRequest.SendValue.Exactly exactly
                ? exactly.wei().toString()
                : "all";
        return Hash256.sha256(String.join(
                        "\n",
                        kind().word(),
                        Quantities.text(to()),
                        amount,
                        data().hex(),
                        gasText,
                        feeCeiling().map(BigInteger::toString).orElse(""),
                        pushing().name(),
                        owner().orElse(""))
                .getBytes(StandardCharsets.US_ASCII));
    }

    /** Purpose of a transaction. */
    public enum SendKind {
        SEND,
        LOCK,
        CLAIM,
        REFUND;

        /** Whether a delay can cost money, because the claimed or refunded amount can be lost at a deadline. */
        boolean isPressing() {
            return this == CLAIM || this == REFUND;
        }

        /** Name in {@code evm_tx_history}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
