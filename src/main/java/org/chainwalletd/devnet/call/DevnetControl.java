package org.chainwalletd.devnet.call;

import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.devnet.ledger.Tip;

/**
 * What a development node can be told beyond what a real one understands. Refusals are
 * {@link org.chainwalletd.devnet.ledger.RejectedException}s.
 */
public interface DevnetControl {
    Tip tip();

    /** Mines {@code count} blocks; their ids, the tip last. */
    List<Hash256> mine(int count);

    /** Pays from the miner's coins; the next block confirms it. */
    Hash256 faucet(Address to, Amount amount);

    /** Replaces the last {@code depth} blocks by one more; the ids of the new ones, the tip last. */
    List<Hash256> reorganise(int depth, boolean keepTransactions, List<Transaction> conflicts);

    /** Forgets all unconfirmed transactions. */
    void forgetMempool();

    /** Whether blocks come by themselves at the configured interval. */
    void mineByItself(boolean on);

    /** Whether a block takes what is pending when it is mined, and not what was pending when the block before it arrived. */
    void minePromptly(boolean on);

    /** Whether new blocks lack the work that the chain asks for. */
    void mineWithoutWork(boolean on);

    /** Whether surplus connections are cut off. */
    void capConnections(boolean on);

    /** Whether push streams are offered. */
    void offerPush(boolean on);

    /** Ends all open push streams. */
    void dropStreams();
}
