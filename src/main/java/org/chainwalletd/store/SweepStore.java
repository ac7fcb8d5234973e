package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/**
 * Sweeps: which coins go to which address in which transactions, fixed in one commit before the first of these is made. A sweep is kept for
 * ever, and so is its client_token, which pays nothing else.
 */
public interface SweepStore {
    /**
     * Writes a sweep, all its parts in one commit, unless its token stands for something already.
     *
     * <p>Fails with {@link StoreException.Reason#BUSY} while too many writes wait.
     */
    CompletionStage<Beginning> begin(Order order, List<Part> parts, long now);

    CompletionStage<Optional<Sweep>> find(String clientToken);

    /** Tokens of the sweeps that are {@link State#RUNNING}, oldest first. */
    CompletionStage<List<String>> running();

    /** Moves a sweep from one state to another; leaves it alone when it is in a third one. */
    CompletionStage<Void> move(String clientToken, State before, State after, String reason);

    /** Ends a part that no spend was opened for: its coins have gone elsewhere. A part that has a spend is left alone. */
    CompletionStage<Void> endUnopened(String clientToken, int part);

    /** Token of a sweep that still has to spend coins of this address, or has a spend of them in flight. */
    CompletionStage<Optional<String>> unfinishedFrom(Address address);

    /**
     * A sweep as it was asked for.
     *
     * @param owner name of the access token; empty for a classic one
     * @param digest of the parameters
     * @param from addresses whose coins are swept, as they were resolved when it began
     */
    record Order(
            String clientToken,
            Optional<String> owner,
            Hash256 digest,
            List<Address> from,
            Address to,
            Amount minValue,
            Optional<String> memo) {
        public Order {
            from = List.copyOf(from);
        }

        boolean isSame(Order other) {
            return digest.equals(other.digest) && owner.equals(other.owner);
        }

        /** Without the memo, which must not get into a log. */
        @Override
        public String toString() {
            return "Order[clientToken=" + clientToken + ", to=" + to + "]";
        }
    }

    /** A coin and the address that owns it. */
    record OwnedCoin(Address owner, Coin coin) {}

    /** One transaction: coins in the order of its inputs; its only output is worth their sum less the fee. */
    record Part(int number, Amount fee, List<OwnedCoin> coins) {
        public Part {
            coins = List.copyOf(coins);
        }
    }

    /** What a sweep is doing. */
    enum State {
        /** Parts that have no spend yet are to get one. */
        RUNNING,
        /** No further part is begun until the call is repeated. */
        STOPPED,
        /** Each part has a spend, or never gets one. */
        DONE
    }

    /**
     * The spend of a part.
     *
     * @param state empty when only its transaction is kept
     * @param lostForGood whether it has lost against another spender of a coin that is final
     */
    record PartSpend(
            Hash256 txId, Optional<IntentState> state, boolean lostForGood, String reason, OptionalLong height) {}

    /**
     * A part and what has become of it.
     *
     * @param spend empty while none was opened
     * @param ended whether none will ever be
     */
    record PartState(Part part, Optional<PartSpend> spend, boolean ended) {
        /** Whether a spend is to be opened. */
        public boolean isWaiting() {
            return spend.isEmpty() && !ended;
        }

        /** Whether it waits, or its spend is in flight. */
        public boolean isUnfinished() {
            return isWaiting()
                    || spend.flatMap(PartSpend::state)
                            .filter(IntentState::inFlight)
                            .isPresent();
        }
    }

    /**
     * A sweep with its parts.
     *
     * @param id random; the tokens of the parts' spends are made of it
     * @param reason why it is stopped; empty otherwise
     */
    record Sweep(Hash256 id, Order order, State state, String reason, long createdAt, List<PartState> parts) {
        public Sweep {
            parts = List.copyOf(parts);
        }
    }

    /** Kind of the spends of parts. */
    String KIND = "sweep";

    /** Token of the spend of a part, which no caller can name. */
    static String partToken(Hash256 sweep, int part) {
        return TokenBinding.ofDaemon(KIND + "-" + sweep + "-" + part);
    }

    /** The sweep that the token of a part's spend was made of. */
    static Hash256 sweepOf(String partToken) {
        int begin = TokenBinding.ofDaemon(KIND + "-").length();
        return Hash256.parse(partToken.substring(begin, partToken.lastIndexOf('-')));
    }

    /** What became of the wish to begin a sweep. */
    sealed interface Beginning {
        /** The token stands for nothing, and there were no parts; nothing was written. */
        record Nothing() implements Beginning {}

        /** It is durable now, or was before. */
        record Begun(Sweep sweep) implements Beginning {}

        /**
         * The token stands for something else; nothing was written.
         *
         * @param txId transaction of the payment that it stands for; empty for other parameters, another token name, or a payout
         */
        record Taken(Optional<Hash256> txId) implements Beginning {}
    }
}
