package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * Stores sweeps: which coins go to which address in which transactions, fixed in one commit before the first transaction is made. A sweep and its
 * client_token are kept permanently, and the token pays nothing else.
 */
public interface SweepStore {
    /**
     * Writes a sweep with all its parts in one commit, unless its token is already bound. From then on, while the sweep is running, no other spend
     * is opened with a coin of a part that has no spend yet.
     *
     * <p>Fails with {@link StoreException.Reason#BUSY} while too many writes wait.
     */
    CompletionStage<Beginning> begin(Order order, Cutter cutter, long now);

    CompletionStage<Optional<Sweep>> find(String clientToken);

    /** Lists the tokens of the sweeps that are {@link State#RUNNING}, oldest first. */
    CompletionStage<List<String>> running();

    /**
     * Changes the state of a sweep from {@code before} to {@code after}; leaves it unchanged when it is in another state. A sweep that stops
     * releases its coins. A sweep that resumes takes them back, except the coins of a part of which another spend has taken a coin meanwhile.
     */
    CompletionStage<Void> move(String clientToken, State before, State after, String reason);

    /**
     * Ends a part for which no spend was opened, because its coins were spent elsewhere or another spend has the same transaction. A part that has a
     * spend is left unchanged.
     */
    CompletionStage<Void> endUnopened(String clientToken, int part);

    /**
     * Ends all parts for which no spend was opened, and with them the sweep. Parts that have a spend are left unchanged.
     *
     * @return the sweep afterwards; empty when the token belongs to no sweep
     */
    CompletionStage<Optional<Sweep>> stop(String clientToken);

    /** Finds the token of a sweep that has yet to spend coins of this address, or has a spend of them in flight. */
    CompletionStage<Optional<String>> unfinishedFrom(Address address);

    /**
     * A sweep as requested.
     *
     * @param owner name of the access token; empty for a classic one
     * @param digest of the parameters
     * @param from addresses whose coins are swept, as resolved when the sweep began
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

        public boolean isSame(Order other) {
            return digest.equals(other.digest) && owner.equals(other.owner);
        }

        /** Leaves out the memo, which must not get into a log. */
        @Override
        public String toString() {
            return "Order[clientToken=" + clientToken + ", to=" + to + "]";
        }
    }

    /** Divides coins into the parts of a sweep. Called in the commit that writes the parts, perhaps more than once. */
    interface Cutter {
        /**
         * @param taken whether a coin is held by a spend, or planned by another running sweep
         */
        List<Part> cut(Predicate<Outpoint> taken);

        /** Returns the id of the only transaction of a part. */
        Hash256 txId(Part part);

        /**
         * Makes a different transaction of the same coins, for a part whose transaction is already that of another spend; empty when there is none.
         */
        Optional<Part> otherwise(Part part);
    }

    /** A coin and the address that owns it. */
    record OwnedCoin(Address owner, Coin coin) {}

    /** A transaction of a sweep: coins in the order of its inputs. Its only output has their sum less the fee. */
    record Part(int number, Amount fee, List<OwnedCoin> coins) {
        public Part {
            coins = List.copyOf(coins);
        }
    }

    /** State of a sweep. */
    enum State {
        /** Spends are still opened for parts without one. */
        RUNNING,
        /** No further spend is opened until the caller repeats the call. */
        STOPPED,
        /** Every part has a spend or has ended. */
        DONE
    }

    /**
     * The spend of a part.
     *
     * @param state empty when only its transaction id is kept
     * @param closed whether it is never sent again, because another transaction that spends one of its coins is final or only its record is kept
     */
    record PartSpend(Hash256 txId, Optional<IntentState> state, boolean closed, String reason, OptionalLong height) {}

    /** Reasons for which no spend will ever be opened for a part. */
    enum Ending {
        /** Another transaction has spent one of its coins, or another spend has the same transaction. */
        LOST,
        /** The sweep was stopped for good. */
        STOPPED;

        /** Returns the number that represents it in stores and {@code sent.log}; 0 for a part that has not ended. */
        public static int number(Optional<Ending> ending) {
            return ending.map(known -> known.ordinal() + 1).orElse(0);
        }

        public static Optional<Ending> of(long number) {
            return number == 0 ? Optional.empty() : Optional.of(values()[(int) number - 1]);
        }
    }

    /**
     * A part and its progress.
     *
     * @param spend empty while no spend was opened
     * @param ending reason why no spend will ever be opened
     */
    record PartState(Part part, Optional<PartSpend> spend, Optional<Ending> ending) {
        /** Returns whether no spend will ever be opened. */
        public boolean ended() {
            return ending.isPresent();
        }

        /** Returns whether a spend still has to be opened. */
        public boolean isWaiting() {
            return spend.isEmpty() && !ended();
        }

        /** Returns whether a spend still has to be opened or is in flight. */
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
     * @param id random; the tokens of the parts' spends are derived from it
     * @param reason why it is stopped; empty otherwise
     */
    record Sweep(Hash256 id, Order order, State state, String reason, long createdAt, List<PartState> parts) {
        public Sweep {
            parts = List.copyOf(parts);
        }

        /** Returns whether it was stopped for good before every part had a spend. */
        public boolean isEnded() {
            return parts.stream().anyMatch(part -> part.ending().equals(Optional.of(Ending.STOPPED)));
        }
    }

    /** Kind of the spends that execute parts of sweeps. */
    String KIND = "sweep";

    /** Returns the token of a part's spend; no caller can name it. */
    static String partToken(Hash256 sweep, int part) {
        return TokenBinding.ofDaemon(KIND + "-" + sweep + "-" + part);
    }

    /** Returns the id of the sweep from the token of a part's spend. */
    static Hash256 sweepOf(String partToken) {
        int begin = TokenBinding.ofDaemon(KIND + "-").length();
        return Hash256.parse(partToken.substring(begin, partToken.lastIndexOf('-')));
    }

    /** Result of a request to begin a sweep. */
    sealed interface Beginning {
        /** The token is unbound and there were no coins to sweep; nothing was written. */
        record Nothing() implements Beginning {}

        /** The sweep is durable, written by this call or an earlier one. */
        record Begun(Sweep sweep) implements Beginning {}

        /**
         * The token is bound to something else; nothing was written.
         *
         * @param txId transaction of the payment that it is bound to; empty when it is bound to a sweep with other parameters or another access
         *     token, or to a payout
         * @param other the sweep that has the token, if it is a sweep
         */
        record Taken(Optional<Hash256> txId, Optional<Sweep> other) implements Beginning {}
    }
}
