package org.chainwalletd.swap.legs;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountTransaction;
import org.chainwalletd.account.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Finds the transaction that claimed a lock, and the secret in it. The contract leaves no event of a claim, so the newest blocks are read. One
 * endpoint's word is enough for the secret: it either has the hash or it has not. A claim that went through another contract is not found.
 */
public final class ClaimSearch {
    /** Looked through from the newest backwards. Swaps are looked at every few seconds, so a claim is seldom older. */
    static final int BLOCKS = 12;

    private final AccountChain chain;
    private final Executor executor;

    ClaimSearch(AccountChain chain, Executor executor) {
        this.chain = chain;
        this.executor = executor;
    }

    /** @param transaction that showed it, by one endpoint's word */
    record Found(Hash256 transaction, SecretBytes secret) {}

    /** The caller closes the secret. Empty also when no endpoint answers. */
    CompletionStage<Optional<Found>> find(EvmAddress contract, Hash256 hashLock) {
        return chain.any()
                .block(BlockRef.Tag.LATEST)
                .thenComposeAsync(
                        head -> head.isEmpty()
                                ? none()
                                : find(contract, hashLock, head.get().number(), BLOCKS),
                        executor)
                .exceptionallyAsync(failure -> Optional.empty(), executor);
    }

    /** Only its id, empty text when it is not found: for people. */
    CompletionStage<String> transaction(SwapTerms terms) {
        return find(terms.account().contract(), terms.hashLock())
                .thenApplyAsync(
                        found -> found.map(claim -> {
                                    claim.secret().close();
                                    return "0x" + claim.transaction().hex();
                                })
                                .orElse(""),
                        executor);
    }

    private CompletionStage<Optional<Found>> find(EvmAddress contract, Hash256 hashLock, long height, int blocks) {
        if (height < 0 || blocks == 0) {
            return none();
        }
        return chain.any()
                .transactionsTo(contract, BlockRef.number(height))
                .thenComposeAsync(
                        block -> {
                            Optional<Found> found = among(block.orElse(List.of()), hashLock);
                            return found.isPresent()
                                    ? CompletableFuture.completedFuture(found)
                                    : find(contract, hashLock, height - 1, blocks - 1);
                        },
                        executor);
    }

    private static CompletionStage<Optional<Found>> none() {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    private static Optional<Found> among(List<AccountTransaction> transactions, Hash256 hashLock) {
        for (AccountTransaction transaction : transactions) {
            Optional<byte[]> preimage = SwapContract.claimed(transaction.input());
            if (preimage.isPresent() && Hash256.sha256(preimage.get()).equals(hashLock)) {
                return Optional.of(new Found(transaction.hash(), SecretBytes.takeOver(preimage.get())));
            }
        }
        return Optional.empty();
    }
}
