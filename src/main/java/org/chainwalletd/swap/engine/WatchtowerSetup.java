package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.ScanCursors;

/**
 * What the watchtower works with.
 *
 * @param fromBlock where events are read from when nothing was read yet ({@code --swap-contract-from-block}); empty: from a week before the
 *     first look
 * @param addresses all of ours on the account chain, also those whose key was replaced
 * @param pace from the end of one round to the next
 * @param executor for continuations; never blocks
 */
public record WatchtowerSetup(
        AccountChain chain,
        EvmAddress contract,
        OptionalLong fromBlock,
        Supplier<CompletionStage<List<EvmAddress>>> addresses,
        ScanCursors cursors,
        RowAudit audit,
        Orphans orphans,
        SharedSecrets secrets,
        Duration pace,
        Executor executor) {
    LockScan scanner() {
        return new LockScan(chain, contract, executor);
    }

    /** Another contract or another chain is another scan. */
    public static String scan(AccountChain chain, EvmAddress contract) {
        return "locks of " + chain.chainId() + " " + contract;
    }

    String scan() {
        return scan(chain, contract);
    }
}
