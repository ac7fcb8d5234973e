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
 * A transaction that shall be made.
 *
 * @param reference the caller's own unique name for it, such as {@code swap/<id>/lock}: the same reference is the same transaction for ever,
 *     and with other values a {@link SendRefusal#referenceTaken}. Up to {@link #LONGEST_REFERENCE} printable ASCII characters
 * @param data call data; of a claim it holds the secret, which thus must be free to leave before this is asked for
 * @param owner whom it is made for, to find it again: a swap's id, or {@link #ownedBy} a named access token, to which alone its reference answers
 *     then; printable ASCII
 * @param feeCeiling most wei that gas may cost in all (gas limit × fee), also after being raised; empty: no bound but the balance
 * @param mayBegin asked before it is signed, and again in the moment before it is journalled; false: it is refused, and no nonce is used
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
    /** Longest call data in bytes; a lock has 100. */
    public static final int LONGEST_DATA = 4_096;

    public SendRequest {
        requirePrintable(reference);
        owner.ifPresent(SendRequest::requirePrintable);
        if (data.length() > LONGEST_DATA) {
            throw new IllegalArgumentException("call data of " + data.length() + " bytes, at most " + LONGEST_DATA);
        }
        if (pushing == Pushing.COPY) {
            throw new IllegalArgumentException("copies are made of what was asked for");
        }
    }

    /** Creates a request that may be made whenever its turn comes. */
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

    /** Returns the owner of what the access token with this name asks for. */
    public static String ownedBy(String accessToken) {
        return AccountSendStore.ACCESS_TOKEN + accessToken;
    }

    /** Leaves out the call data: that of a claim holds the secret. */
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

    /** The gas limit. */
    public sealed interface Gas {
        /** Fixed limit, as for a claim, whose call data must not be shown to an endpoint before it is sent. */
        record Fixed(long limit) implements Gas {}

        /** {@code eth_estimateGas} and a fifth on top. */
        record Estimated() implements Gas {}
    }

    /** Party that rebroadcasts a transaction and raises its fee. */
    public enum Pushing {
        /** The nonce owner: until it is final, also after a restart, raised when it is stuck. */
        BY_ITSELF,
        /** As {@link #BY_ITSELF}, with the fee raised every 30 seconds: a claim against a deadline. */
        URGENTLY,
        /**
         * The caller, by {@link AccountSends#push} while its own conditions hold, or ends it by {@link AccountSends#cancel}. It goes out
         * once when it is made. Later transactions of the same address wait for it.
         */
        BY_OWNER,
        /**
         * A copy of a claim or a refund, at a nonce that an endpoint named: goes out while {@link AccountSends#pursue} is called for what it
         * repeats and an endpoint names its nonce, and never holds up anything. Not to be asked for.
         */
        COPY
    }

    private static void requirePrintable(String text) {
        if (text.isEmpty() || text.length() > LONGEST_REFERENCE || text.chars().anyMatch(c -> c < 0x20 || c > 0x7e)) {
            throw new IllegalArgumentException("1 to " + LONGEST_REFERENCE + " printable ASCII characters");
        }
    }

    /**
     * Digest that a reference stands for: a hash over the request. The address that pays is left out: a token keeps its meaning when the key is
     * replaced, and never pays twice. These bytes are in the store: their order never changes.
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

        /** Whether waiting costs money: what is claimed or taken back can be lost to a deadline. */
        boolean isPressing() {
            return this == CLAIM || this == REFUND;
        }

        /** Name in {@code evm_tx_history}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
