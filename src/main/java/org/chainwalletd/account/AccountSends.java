package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.evm.EvmAddress;

/**
 * The one way by which transactions leave for the account chain. Every version is durable with its nonce before its first byte leaves; after
 * a crash the same bytes go out again. All versions are followed until one of them is final.
 *
 * <p>Stages fail with {@link SendRefusal.SendException} when no nonce was given, with {@link AccountException} when the endpoints could not be asked
 * before one was, and with the exceptions of the keyring and the store. They are completed on the daemon's own threads.
 */
public interface AccountSends {
    /**
     * Gives a nonce, signs, journals, and hands the transaction to all endpoints. Completes when the first endpoint has it, or when all have
     * failed to take it: the record then says {@link SendRecord.SendState.Journalled}, and the daemon goes on with it unless its owner pushes it. A
     * reference that is known already is answered with its record as it stands, and nothing is made.
     *
     * <p>A {@link SendRequest.SendKind#SEND} and a {@link SendRequest.SendKind#LOCK} leave what open swaps need; claims and refunds are what it is kept for. These pay
     * what ceiling and balance allow rather than being refused, and are made although the quorum is away.
     */
    CompletionStage<SendRecord> send(SendRequest request);

    /** Outcome so far, from the journal, without asking an endpoint. */
    CompletionStage<Optional<SendRecord>> find(String reference);

    /** All of one owner, oldest first. */
    CompletionStage<List<SendRecord>> ofOwner(String owner);

    /** Sends the newest version once more, the same bytes, to all endpoints. Does nothing once it is in a block. */
    CompletionStage<SendRecord> push(String reference);

    /**
     * Makes and sends a version that pays at least an eighth more in both fee fields, within its ceiling and the balance; when there is no
     * room for that it is pushed as it is.
     */
    CompletionStage<SendRecord> raise(String reference);

    /**
     * Keeps a claim or a refund going that the journal has, as long as its owner sees that it is wanted: call it at every look. It goes out at
     * the nonce that the journal gave it and, as a copy that is journalled before, at every nonce that an endpoint names now. Copies are
     * sent again and raised by these calls alone, and never once one of them, or what they repeat, is in a block. Does nothing for what is not open.
     *
     * @param deadline Unix seconds, unsigned, after which it is worth nothing: its fee stands at the ceiling half of the margin before that;
     *     empty where there is none
     */
    void pursue(String reference, OptionalLong deadline);

    /** Spends its nonce to ourselves, at a higher fee, once. Either may be mined: the record tells which. */
    CompletionStage<SendRecord> cancel(String reference);

    /**
     * Whether anything of an address is in no block yet, which would hold up what comes after it. What has waited for long is replaced: by a
     * version that pays more, or, where its owner pushes it and has not got it through, by one that spends its nonce to ourselves.
     */
    CompletionStage<Boolean> makeWay(EvmAddress from);

    /**
     * Balance, commitments and gas reserve of an address; what is being made when it is asked counts as committed. Blocks the calling thread,
     * which must be of a pool of its caller's own: it waits for what is being made.
     */
    AccountFunds funds(EvmAddress address);

    /** The same on the threads of claims and refunds, for a claim that is about to leave or not. */
    AccountFunds pressingFunds(EvmAddress address);

    /** The same at the settled block, for a lock or a gate of one swap, by its id; {@link AccountFunds#reserved} is what comes before it. */
    AccountFunds funds(EvmAddress address, String swap);

    /** Sends that are not over, without copies, oldest first; for deletion guards. */
    CompletionStage<List<SendRecord>> open(EvmAddress from);

    /** Sets the counter of swaps that need gas; once, before anything is sent. */
    void reserveFor(OpenSwaps swaps);

    /** @param why for people: the nonces that differ, and which words are whose */
    record Stopped(EvmAddress from, String why) {}

    /**
     * Calls {@code listener} each time that something new is not sent, or could not be, because the nonces of an address cannot be explained:
     * endpoints that differ about the account, or transactions that the journal does not know; it must not block.
     */
    void onStop(Consumer<Stopped> listener);

    /** Calls {@code listener} after each change of a record's state is durable; it must not block. */
    void onChange(Consumer<SendRecord> listener);

    /** How the swap engine tells the nonce owner what must not be spent. */
    @FunctionalInterface
    interface OpenSwaps {
        OpenSwaps NONE = address -> 0;

        /**
         * Swaps that hold money, with those whose locks are about to be sent, and may still have to pay gas from {@code address}. Asked from any
         * thread before each send; does not block.
         */
        int needingGas(EvmAddress address);

        /**
         * Claims on the balance that come before one swap.
         *
         * @param swaps that need gas; the one itself among them when it holds money
         * @param locks wei that their locks take, of those that are not made yet
         * @param claims that others may send before it, and have not
         */
        record Ahead(int swaps, BigInteger locks, int claims) {}

        /** Claims on the balance before {@code swap} can be begun: those of swaps in work that came earlier. */
        default Ahead ahead(EvmAddress address, String swap) {
            return new Ahead(needingGas(address), BigInteger.ZERO, 0);
        }
    }

    /**
     * Balance of an address of ours, in wei.
     *
     * @param balance that the quorum agrees on at one block: the settled one for a swap, otherwise the newest
     * @param committed value and highest fee of our transactions that are not mined
     * @param reservePerSwap 120,000 gas × 4 × (2 × base fee + tip): what one open swap may still need
     * @param reserved that for all open swaps, with the locks that those executed at this moment are about to make
     * @param claimsAhead claims that swaps before the one that asks may send, and have not
     * @param obstacle why nothing at all is sent from it: its nonces are not explained, it has code, the chain has no transactions of type 2
     */
    record AccountFunds(
            BigInteger balance,
            BigInteger committed,
            BigInteger reservePerSwap,
            BigInteger reserved,
            int claimsAhead,
            Optional<SendRefusal> obstacle) {
        private static final BigInteger TRANSACTIONS_PER_SWAP = BigInteger.valueOf(4);

        /** Most gas money that one transaction of a swap may take: 120,000 gas × (2 × base fee + tip). */
        public BigInteger perTransaction() {
            return reservePerSwap.divide(TRANSACTIONS_PER_SWAP);
        }

        /** Balance left for a claim of the swap that asks. */
        public BigInteger leftForClaim() {
            return balance.subtract(committed).subtract(perTransaction().multiply(BigInteger.valueOf(claimsAhead)));
        }

        /** Balance that may be spent without taking from an open swap; never negative. */
        public BigInteger spendable() {
            return balance.subtract(committed).subtract(reserved).max(BigInteger.ZERO);
        }
    }
}
