package org.chainwalletd.spend.plan;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Opening;

/** Reason why a spend was not made, or is not known to have been made. Each maps to one error of the interface. */
public sealed interface SpendRefusal {
    /** Text for the caller: what happened and what to do. */
    String message();

    record WalletNotFound(Address address) implements SpendRefusal {
        @Override
        public String message() {
            return "address " + address + " is not in this keystore";
        }
    }

    record DustOutput(Amount amount, Amount threshold) implements SpendRefusal {
        @Override
        public String message() {
            return "output of " + amount + " base units is below the dust threshold of " + threshold;
        }
    }

    /** The transaction cannot be built, for example because a sum overflows. */
    record BuildFailed(String message) implements SpendRefusal {}

    /** A cap of the operator does not allow the spend. */
    record AllowanceExceeded(Opening.CapExceeded cap) implements SpendRefusal {
        @Override
        public String message() {
            return "spend allowance " + cap.scope() + " exceeded: " + cap.requested() + " base units requested, "
                    + cap.remaining() + " of " + cap.limit() + " remain";
        }
    }

    /** Refusal by the operator's cap, or by that of the caller's token. */
    static SpendRefusal of(Opening.CapExceeded cap) {
        return cap.tokenName()
                .<SpendRefusal>map(name -> new PolicyRefused(Grant.refusal(
                        name,
                        "cap_per_period",
                        cap.requested(),
                        cap.limit(),
                        "it may spend " + cap.limit() + " base units in " + cap.periodSeconds() + " seconds, and "
                                + cap.remaining() + " remain")))
                .orElseGet(() -> new AllowanceExceeded(cap));
    }

    /** The coins do not cover amount plus fee, and would not even with the reserved ones. */
    record InsufficientBalance(Shortage shortage) implements SpendRefusal {
        @Override
        public String message() {
            return shortage.inWords("insufficient balance");
        }
    }

    /** The coins would cover amount plus fee if they were not reserved. */
    record InFlightExhausted(Shortage shortage) implements SpendRefusal {
        @Override
        public String message() {
            return shortage.inWords("funds are in flight") + "; retry after the next block";
        }
    }

    record FeeTooHigh(Amount fee, Amount maxFee) implements SpendRefusal {
        @Override
        public String message() {
            return "fee of " + fee + " base units exceeds max_fee of " + maxFee;
        }
    }

    /** Transaction bytes contradict a node's listing, and no other coins cover the payment. */
    record CoinsContradicted(int count) implements SpendRefusal {
        @Override
        public String message() {
            return "the bytes of " + count + (count == 1 ? " coin say" : " coins say")
                    + " otherwise than the node that listed them, and nothing else covers the payment;"
                    + " nothing was broadcast";
        }
    }

    /**
     * The bytes that would prove the coins cannot be fetched now, and no other coins cover the payment.
     *
     * @param cause reason given by the last node
     */
    record CoinsOutOfReach(int count, String cause) implements SpendRefusal {
        @Override
        public String message() {
            return "what " + count + (count == 1 ? " coin is" : " coins are")
                    + " worth cannot be proven now, and nothing else covers the payment; nothing was broadcast, try"
                    + " again later (" + cause + ")";
        }
    }

    /** The caller's token does not allow the spend, or is no longer valid. */
    record PolicyRefused(Refusal refusal) implements SpendRefusal {
        @Override
        public String message() {
            return refusal.message();
        }
    }

    /**
     * @param boundBy owner that has bound the token, when it differs from the caller
     */
    record TokenConflict(String token, Optional<BoundBy> boundBy) implements SpendRefusal {
        @Override
        public String message() {
            return boundBy.map(by -> "client_token was bound by the token " + by.name() + ", and answers only to it")
                    .orElse("client_token was used with other parameters, or by another named token");
        }
    }

    /**
     * Owner of a bound token.
     *
     * @param name name of the access token; {@code spend} for the three that every daemon has, which are one owner
     * @param txId transaction of the payment; empty while none is known
     */
    record BoundBy(String name, Optional<Hash256> txId) {
        /** Creates the value for a caller, if the token was bound by a different owner. */
        public static Optional<BoundBy> other(Optional<String> caller, Optional<String> owner, Optional<Hash256> txId) {
            return owner.equals(caller)
                    ? Optional.empty()
                    : Optional.of(new BoundBy(owner.orElse(Scope.SPEND.word()), txId));
        }
    }

    /**
     * The nodes refused the transaction or could not be asked; it is sent again only when the same token is used again.
     *
     * @param sent transaction that a node was sent and may have kept although it refused it; empty when none left for this payment
     */
    record UpstreamFailed(String message, Optional<Hash256> sent) implements SpendRefusal {
        public UpstreamFailed(String message) {
            this(message, Optional.empty());
        }

        /** Creates the refusal of a transaction that a node was sent. */
        public static UpstreamFailed afterSending(Hash256 txId, boolean withToken, String cause) {
            return new UpstreamFailed(
                    cause + "; transaction " + txId + " was sent and refused: " + advice(withToken), Optional.of(txId));
        }
    }

    /** Another transaction has spent one of the inputs. */
    record DoubleSpend(Hash256 txId, String message) implements SpendRefusal {}

    /** The transaction may have been sent; the daemon continues until its outcome is known. */
    record OutcomeUnknown(Hash256 txId, boolean withToken, String cause) implements SpendRefusal {
        @Override
        public String message() {
            return "the outcome of transaction " + txId + " is unknown and the daemon keeps working on it: "
                    + advice(withToken) + " (" + cause + ")";
        }
    }

    private static String advice(boolean withToken) {
        return withToken
                ? "call again with the same client_token, it settles this payment and never makes a second one"
                : "look it up with get_transaction before paying again";
    }

    /** A node had the transaction before it was offered to any node. */
    record Contested(Hash256 txId) implements SpendRefusal {
        @Override
        public String message() {
            return "a node had transaction " + txId + " before it was sent: another daemon with the same key makes the"
                    + " same payment, or the node does not tell the truth; whether it is this payment cannot be told, so"
                    + " it is neither acknowledged nor paid again, whatever its client_token asks; look at what other"
                    + " daemons with this key have paid, and pay with a new client_token when it is theirs";
        }
    }

    /** The daemon is stopping. */
    record ShuttingDown() implements SpendRefusal {
        @Override
        public String message() {
            return "the daemon is shutting down and takes no new spends";
        }
    }

    /**
     * Lack of coins for a payment.
     *
     * @param needed amount plus fee
     * @param available value of the coins that may be spent
     * @param utxoCount number of the coins that may be spent
     * @param inFlightValue value of the listed coins that are reserved
     * @param truncated whether the node listed only its first 1,000 coins
     */
    record Shortage(
            Amount needed,
            Amount available,
            long utxoCount,
            Amount inFlightValue,
            long inFlightCount,
            boolean truncated,
            boolean tooManyInputs) {
        /** Creates a shortage with the sums of these coins. */
        public Shortage(Amount needed, List<Coin> free, List<Coin> reserved, boolean truncated, boolean tooManyInputs) {
            this(needed, sum(free), free.size(), sum(reserved), reserved.size(), truncated, tooManyInputs);
        }

        /** Shortage of a drafted payment that is not signed yet. */
        public static Shortage ofTaken(Draft payment, List<Coin> taken) {
            Amount all = sum(payment.inputs());
            Amount change = payment.changeIndex().isPresent()
                    ? payment.unsigned()
                            .outputs()
                            .get(payment.changeIndex().getAsInt())
                            .value()
                    : Amount.ZERO;
            return ofTaken(all.minus(change), payment.inputs(), taken);
        }

        /** Shortage of a payment that must be made with its own coins, some of which are reserved for others. */
        public static Shortage ofTaken(Receipt payment, List<Coin> taken) {
            Amount needed = payment.fee();
            for (Receipt.PaidOutput output : payment.outputs()) {
                needed = output.change() ? needed : needed.plus(output.output().value());
            }
            return ofTaken(needed, payment.inputs(), taken);
        }

        private static Shortage ofTaken(Amount needed, List<Coin> inputs, List<Coin> taken) {
            Amount reserved = sum(taken);
            int free = inputs.size() - taken.size();
            return new Shortage(needed, sum(inputs).minus(reserved), free, reserved, taken.size(), false, false);
        }

        private static Amount sum(List<Coin> coins) {
            return coins.stream().map(Coin::value).reduce(Amount.ZERO, Amount::plusOrMax);
        }

        /** Refusal for this shortage, which depends on whether the coins would suffice together with the reserved ones. */
        public SpendRefusal refusal(boolean reservedWouldDo) {
            return reservedWouldDo ? new InFlightExhausted(this) : new InsufficientBalance(this);
        }

        private String inWords(String what) {
            StringBuilder words = new StringBuilder(what + ": need " + needed + " base units, " + available
                    + " available in " + utxoCount + " outputs");
            if (available.isLessThan(needed)) {
                words.append(", short by ").append(needed.minus(available));
            }
            if (inFlightCount > 0) {
                words.append("; ")
                        .append(inFlightValue)
                        .append(" in ")
                        .append(inFlightCount)
                        .append(" outputs reserved by pending transfers");
            }
            if (tooManyInputs) {
                words.append("; one transaction cannot carry that many inputs, consolidate first");
            }
            if (truncated) {
                words.append("; the node listed only the first 1000 outputs of the address");
            }
            return words.toString();
        }
    }
}
