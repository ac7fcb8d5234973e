package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.TokenBalance;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.StoreException;

/** Objects to deleting or replacing an account-chain key that holds a balance, may hold one, or has sent transactions that are not final. */
public final class AccountKeyGuard implements EvmKeyGuard {
    private final AccountChain chain;
    private final AccountSends sends;
    private final List<EvmAddress> tokens;
    private final Executor threads;

    /**
     * @param tokens token contracts whose balances are checked too
     * @param threads bounded pool whose threads may block on endpoints
     */
    public AccountKeyGuard(AccountChain chain, AccountSends sends, List<EvmAddress> tokens, Executor threads) {
        this.chain = chain;
        this.sends = sends;
        this.tokens = List.copyOf(tokens);
        this.threads = threads;
    }

    @Override
    public CompletionStage<List<EvmKeyGuard.Objection>> objections(EvmAddress key) {
        return Work.on(threads, () -> found(key));
    }

    /** Considers a balance zero only if the quorum agrees that it is. */
    private List<EvmKeyGuard.Objection> found(EvmAddress key) {
        CompletionStage<BigInteger> wei = chain.agreed(reads -> reads.balance(key, BlockRef.Tag.LATEST));
        CompletionStage<List<SendRecord>> open = sends.open(key);
        List<CompletionStage<BigInteger>> units = tokens.stream()
                .map(token -> chain.agreed(
                        reads -> TokenBalance.read(reads, token, key).balance()))
                .toList();
        List<EvmKeyGuard.Objection> all = new ArrayList<>(objection("wei", wei));
        all.addAll(unsettled(open));
        for (int i = 0; i < tokens.size(); i++) {
            all.addAll(objection("units of token " + tokens.get(i), units.get(i)));
        }
        return List.copyOf(all);
    }

    private static List<EvmKeyGuard.Objection> objection(String what, CompletionStage<BigInteger> asked) {
        try {
            BigInteger balance = await(asked);
            return balance.signum() == 0
                    ? List.of()
                    : List.of(new EvmKeyGuard.Objection.Balance("it holds " + balance + " " + what));
        } catch (RuntimeException e) {
            return List.of(new EvmKeyGuard.Objection.Balance("its balance is unknown: " + AccountException.words(e)));
        }
    }

    /** Objects when sends are open. Only the daemon that does the background work knows them, so any other daemon refuses to replace the key. */
    private static List<EvmKeyGuard.Objection> unsettled(CompletionStage<List<SendRecord>> asked) {
        List<SendRecord> open;
        try {
            open = await(asked);
        } catch (StoreException e) {
            if (Background.isStopped(e)) {
                return List.of(new EvmKeyGuard.Objection.OpenSwap(
                        "whether transactions of it are open is not known: " + e.getMessage()));
            }
            throw e;
        }
        return open.isEmpty()
                ? List.of()
                : List.of(new EvmKeyGuard.Objection.Unsettled(
                        open.size() + " transactions of it are sent and not final"));
    }
}
