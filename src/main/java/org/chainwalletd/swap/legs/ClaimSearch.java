package org.chainwalletd.swap.legs;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.AccountReads.AccountTransaction;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Finds the transaction that claimed a lock, and the secret in it. The contract emits no event for a claim, so the newest blocks are read. A single
 * endpoint suffices for the secret, because its hash proves it. A claim made through another contract is not found.
 */
public record ClaimSearch(AccountChain chain) {
    /** Number of blocks searched, newest first. Swaps are observed every few seconds, so a claim is seldom older. */
    static final int BLOCKS = 12;

    /** @param transaction that revealed the secret, according to one endpoint */
    record Found(Hash256 transaction, SecretBytes secret) {}

    /** Returns the claim; the caller closes the secret. Also empty when no endpoint answers. */
    public Optional<Found> find(EvmAddress contract, Hash256 hashLock) {
        try {
            long newest = chain.any()
                    .block(BlockRef.Tag.LATEST)
                    .map(AccountBlock::number)
                    .orElse(-1L);
            for (long height = newest; height >= 0 && height > newest - BLOCKS; height--) {
                Optional<Found> found = among(
                        chain.any()
                                .transactionsTo(contract, BlockRef.number(height))
                                .orElse(List.of()),
                        hashLock);
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Returns the id of the claim's transaction, as human-readable text; empty when it is not found. */
    String transaction(SwapTerms terms) {
        return find(terms.account().contract(), terms.hashLock())
                .map(claim -> {
                    claim.secret().close();
                    return "0x" + claim.transaction().hex();
                })
                .orElse("");
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
