package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.api.RefusedException.RetryLater;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSendStore;

/** Reasons for which a transaction was not made. In each of these cases no nonce was assigned and nothing was sent. */
public final class SendRefusal {
    private static final long BUSY_RETRY_SECONDS = 15;
    private static final long READING_RETRY_SECONDS = 1;

    private SendRefusal() {}

    /** Data of -32031, all in wei. */
    record Shortfall(String neededWei, String availableWei, String gasReserveWei) {}

    /**
     * Data of -32035.
     *
     * @param boundTo name of the access token that has bound the client token, if it is not the caller's
     * @param txId hash of the payment made with the client token, with 0x
     */
    record TokenData(String clientToken, Optional<String> boundTo, Optional<String> txId) {
        TokenData(String clientToken) {
            this(clientToken, Optional.empty(), Optional.empty());
        }
    }

    /**
     * @param needed value and maximum fee
     * @param available balance less open sends and {@code reserved}
     * @param reserved amount kept for the gas of open swaps
     */
    static Refusal insufficientBalance(BigInteger needed, BigInteger available, BigInteger reserved) {
        return new Refusal(
                ErrorCode.INSUFFICIENT_BALANCE,
                "insufficient balance on the account chain: need " + needed + " wei, " + available + " available"
                        + (reserved.signum() > 0 ? " beside " + reserved + " kept for open swaps" : ""),
                new Shortfall(needed.toString(), available.toString(), reserved.toString()));
    }

    static Refusal feeTooHigh(BigInteger fee, BigInteger ceiling) {
        return cannotBeBuilt("the account chain asks for a fee of up to " + fee + " wei, more than " + ceiling);
    }

    /**
     * The chain has more transactions of the address than the journal: another holder of the key has sent. Nothing is sent until this is resolved.
     */
    static Refusal nonceGap(EvmAddress from, long ours, long chains) {
        return cannotBeBuilt("sending from " + from + " has stopped: the chain has seen " + chains
                + " transactions of it, the daemon's journal explains " + ours
                + ". Somebody else uses the key, or the journal is of an older backup");
    }

    /** An endpoint reports more transactions than the journal has, and the settled block is not new enough to show whether this is true. */
    static Refusal nonceAhead(EvmAddress from, String endpoint, long named, long ours) {
        return cannotBeBuilt("sending from " + from
                + " has stopped until the settled block tells: account-chain endpoint " + endpoint + " names " + named
                + " transactions of it, the daemon's journal explains " + ours);
    }

    /** The journal has a transaction that is over, and the chain does not have it at the surveyed block. */
    static Refusal nonceBehind(EvmAddress from, long nonce, long chains) {
        return cannotBeBuilt(
                "sending from " + from + " has stopped: the daemon's journal has a transaction with nonce "
                        + nonce + " that is over, and the account chain has seen only " + chains
                        + " of it at the block that the endpoints agree on. One of them is far behind, or the chain is another one");
    }

    static Refusal referenceTaken(String reference) {
        return new Refusal(
                ErrorCode.IDEMPOTENCY_CONFLICT,
                "client_token was used with other parameters",
                new TokenData(tokenOf(reference)));
    }

    /**
     * The reference already belongs to another transaction, which may have been requested with another access token.
     *
     * @param owner of that transaction, see {@link SendRequest#owner}
     * @param hash of that transaction; empty while it is being made
     */
    static Refusal referenceTaken(SendRequest request, Optional<String> owner, Optional<Hash256> hash) {
        if (request.owner().equals(owner) || !request.reference().startsWith(AccountSendStore.TOKEN)) {
            return referenceTaken(request.reference());
        }
        String name = owner.map(AccountSendStore::accessTokenOf).orElse(Scope.SPEND.word());
        return new Refusal(
                ErrorCode.IDEMPOTENCY_CONFLICT,
                "client_token was bound by the token " + name + ", and answers only to it",
                new TokenData(tokenOf(request.reference()), Optional.of(name), hash.map(known -> "0x" + known.hex())));
    }

    private static String tokenOf(String reference) {
        return reference.startsWith(AccountSendStore.TOKEN)
                ? reference.substring(AccountSendStore.TOKEN.length())
                : reference;
    }

    /** Refuses an account with code, because others may be able to move its balance. */
    static Refusal hasCode(EvmAddress from) {
        return cannotBeBuilt("the account " + from + " has code, so the daemon does not use it");
    }

    static Refusal oldChain() {
        return cannotBeBuilt("the account chain does not know transactions of type 2");
    }

    static Refusal tooMany(int open) {
        return new Refusal(
                ErrorCode.TOO_MANY_REQUESTS,
                open + " transactions on the account chain are not final yet; try again later",
                new RetryLater(true, BUSY_RETRY_SECONDS));
    }

    /** Background work has just started here: the needs of open swaps are unknown until their journal has been read. */
    static Refusal swapsUnread() {
        return new Refusal(
                ErrorCode.TOO_MANY_REQUESTS,
                "the journal of swaps is being read, so what they need of the account is not known; try again later",
                new RetryLater(true, READING_RETRY_SECONDS));
    }

    static Refusal wouldRevert(String words) {
        return cannotBeBuilt("the account chain would refuse the transaction: " + words);
    }

    /** Refuses an unknown reference, or one that is over. */
    public static Refusal notOpen(String reference) {
        return new Refusal(ErrorCode.INVALID_PARAMS, "no open transaction is called " + reference);
    }

    /** The condition of the request no longer holds at the moment before it would have been journalled. */
    static Refusal notWantedAnyMore() {
        return cannotBeBuilt(
                "looking at the account chain took so long that it may not be sent any more; nothing was sent");
    }

    static Refusal shuttingDown() {
        return new Refusal(ErrorCode.INTERNAL_ERROR, "the daemon is shutting down and takes no new sends");
    }

    private static Refusal cannotBeBuilt(String message) {
        return new Refusal(ErrorCode.TX_BUILD, message);
    }
}
