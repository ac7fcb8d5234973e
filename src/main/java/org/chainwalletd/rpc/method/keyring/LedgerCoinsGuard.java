package org.chainwalletd.rpc.method.keyring;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.KeyEntry;

/** Keeps a key while the daemon's own books have a coin of it. That they have none permits nothing: the nodes are asked as well. */
public final class LedgerCoinsGuard implements DeletionGuard {
    private final CoinLedger ledger;

    public LedgerCoinsGuard(CoinLedger ledger) {
        this.ledger = ledger;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return ledger.objection(entry.address());
    }
}
