package org.chainwalletd.account;

import java.math.BigInteger;
import org.chainwalletd.evm.EvmAddress;

/** Why a transaction was not made. In each of these cases no nonce was given and nothing has left. */
public sealed interface SendRefusal {
    /** For people: what happened and what to do. */
    String message();

    /**
     * @param needed value and highest fee
     * @param available balance without open sends and without {@code reserved}
     * @param reserved kept for the gas of open swaps
     */
    record InsufficientBalance(BigInteger needed, BigInteger available, BigInteger reserved) implements SendRefusal {
        @Override
        public String message() {
            return "insufficient balance on the account chain: need " + needed + " wei, " + available + " available"
                    + (reserved.signum() > 0 ? " beside " + reserved + " kept for open swaps" : "");
        }
    }

    record FeeTooHigh(BigInteger fee, BigInteger ceiling) implements SendRefusal {
        @Override
        public String message() {
            return "the account chain asks for a fee of up to " + fee + " wei, more than " + ceiling;
        }
    }

    /** The chain has more transactions of the address than are journalled: another holder of the key sends. Nothing is sent until it is cleared up. */
    record NonceGap(EvmAddress from, long ours, long chains) implements SendRefusal {
        @Override
        public String message() {
            return "sending from " + from + " has stopped: the chain has seen " + chains
                    + " transactions of it, the daemon's journal explains " + ours
                    + ". Somebody else uses the key, or the journal is of an older backup";
        }
    }

    /** An endpoint names more transactions than are journalled, and the settled block cannot show yet whether that is so. */
    record NonceAhead(EvmAddress from, String endpoint, long named, long ours) implements SendRefusal {
        @Override
        public String message() {
            return "sending from " + from + " has stopped until the settled block tells: account-chain endpoint "
                    + endpoint + " names " + named + " transactions of it, the daemon's journal explains " + ours;
        }
    }

    /** The journal has a transaction that ended, and the chain does not have it at the block that counts. */
    record NonceBehind(EvmAddress from, long nonce, long chains) implements SendRefusal {
        @Override
        public String message() {
            return "sending from " + from + " has stopped: the daemon's journal has a transaction with nonce " + nonce
                    + " that is over, and the account chain has seen only " + chains
                    + " of it at the block that the endpoints agree on. One of them is far behind, or the chain is another one";
        }
    }

    /** The reference names another transaction already. */
    record ReferenceTaken(String reference) implements SendRefusal {
        @Override
        public String message() {
            return "client_token was used with other parameters";
        }
    }

    /** The account has code: what is paid to it may be moved by others. */
    record HasCode(EvmAddress from) implements SendRefusal {
        @Override
        public String message() {
            return "the account " + from + " has code, so the daemon does not use it";
        }
    }

    /** The chain has no base fee. */
    record OldChain() implements SendRefusal {
        @Override
        public String message() {
            return "the account chain does not know transactions of type 2";
        }
    }

    record TooMany(int open) implements SendRefusal {
        @Override
        public String message() {
            return open + " transactions on the account chain are not final yet; try again later";
        }
    }

    /** The call would fail in the endpoint's estimate. */
    record WouldRevert(String words) implements SendRefusal {
        @Override
        public String message() {
            return "the account chain would refuse the transaction: " + words;
        }
    }

    /** No such reference, or it is over. */
    record NotOpen(String reference) implements SendRefusal {
        @Override
        public String message() {
            return "no open transaction is called " + reference;
        }
    }

    /** The condition of the request no longer holds at the moment before it would have been journalled. */
    record NotWantedAnyMore() implements SendRefusal {
        @Override
        public String message() {
            return "looking at the account chain took so long that it may not be sent any more; nothing was sent";
        }
    }

    record ShuttingDown() implements SendRefusal {
        @Override
        public String message() {
            return "the daemon is shutting down and takes no new sends";
        }
    }

    /** Carries a {@link SendRefusal} through a stage. */
    final class SendException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient SendRefusal refusal;

        public SendException(SendRefusal refusal) {
            super(refusal.message(), null, false, false);
            this.refusal = refusal;
        }

        public SendRefusal refusal() {
            return refusal;
        }
    }
}
