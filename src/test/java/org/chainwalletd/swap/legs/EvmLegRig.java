package org.chainwalletd.swap.legs;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.FatedJournal;
import org.chainwalletd.account.FatedJournal.Fate;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmWallet;

/** The account-chain legs of swaps over two endpoints, a journal on disk and a pool with its own key. */
public final class EvmLegRig implements AutoCloseable {
    static final BigInteger WEI = AccountRig.ETHER.divide(BigInteger.TEN);
    /** Number of blocks on top of a final one. */
    public static final int FINAL = 4;

    private static final byte[] SECRET = Hash256.sha256(new byte[] {41}).toArray();

    /** For work that may block. */
    public static final Executor THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "leg");
        thread.setDaemon(true);
        return thread;
    });

    final AccountRig rig;
    final EvmDevnet chain;
    final EvmWallet pool;
    final Hash256 hashLock = Hash256.sha256(SECRET);
    public final long deadline;

    public EvmLegRig(Path folder) {
        this(new AccountRig(folder));
    }

    public EvmLegRig(AccountRig rig) {
        this.rig = rig;
        chain = rig.chain;
        pool = chain.account(1);
        // The contract is in a final block.
        chain.mine(FINAL + 1);
        deadline = now() + 10_000;
    }

    public long now() {
        return chain.clock().instant().getEpochSecond();
    }

    public byte[] secret() {
        return SECRET.clone();
    }

    /**
     * Runs an act of a process that dies before or after each of its first writes, each time in a new folder.
     *
     * @param before prepares the chain, and returns the row
     * @param after judges what the next process finds
     */
    static void diesAtEachWrite(
            Path folder,
            Function<EvmLegRig, SwapRow> before,
            BiFunction<EvmLegRig, SwapRow, String> act,
            BiConsumer<EvmLegRig, SwapRow> after)
            throws IOException {
        for (int write = 1; write <= 2; write++) {
            for (Fate fate : List.of(Fate.NOT_DONE, Fate.DONE)) {
                try (EvmLegRig crashing = new EvmLegRig(Files.createDirectory(folder.resolve(fate + "-" + write)))) {
                    SwapRow row = before.apply(crashing);
                    FatedJournal journal = new FatedJournal(write, fate);
                    crashing.rig.restartWith(journal::over);
                    begun(() -> act.apply(crashing, row));
                    journal.orUntil(() -> false);
                    crashing.rig.crash();
                    after.accept(crashing, row);
                }
            }
        }
    }

    /** Starts an act that may never end, or may fail. */
    static <T> CompletableFuture<T> begun(Supplier<T> act) {
        return CompletableFuture.supplyAsync(act, THREADS);
    }

    SecretBytes held() {
        return SecretBytes.copyOf(SECRET);
    }

    SwapLimits limits(Hash256 codeHash) {
        return new SwapLimits(
                new SwapLimits.Contract(BigInteger.valueOf(EvmDevnet.CHAIN_ID), chain.contract(), codeHash),
                rig.quorum,
                Finality.FINALIZED,
                OptionalLong.empty(),
                Sample.LONGEST,
                Sample.MARGINS,
                Sample.MOST_PRICE,
                false);
    }

    /** Returns the leg of a process that has just started. */
    EvmOwnLeg ownLeg() {
        return ownLeg(chain.codeHash());
    }

    EvmOwnLeg ownLeg(Hash256 codeHash) {
        return new EvmOwnLeg(rig.endpoints, rig.sends, limits(codeHash), chain.clock());
    }

    EvmPoolLeg poolLeg() {
        return poolLeg(chain.codeHash());
    }

    EvmPoolLeg poolLeg(Hash256 codeHash) {
        return new EvmPoolLeg(rig.endpoints, rig.sends, limits(codeHash), Optional.empty());
    }

    SwapRow buy() {
        return row(Direction.NATIVE_TO_CHAIN, "a-buy");
    }

    SwapRow sell() {
        return row(Direction.CHAIN_TO_NATIVE, "a-sell");
    }

    private SwapRow row(Direction direction, String id) {
        boolean sell = direction.isSell();
        SwapTerms terms = new SwapTerms(
                direction,
                hashLock,
                new SwapTerms.Sum("1", sell ? Sample.COINS : WEI),
                new SwapTerms.Sum("1", sell ? WEI : Sample.COINS),
                new SwapTerms.AccountLeg(Sample.CHAIN_ID, chain.contract()),
                new SwapTerms.Ours(Sample.OURS.address(), Sample.OURS.key(), rig.own),
                sell ? SwapTerms.Theirs.onTheChain(Sample.POOL_KEY) : SwapTerms.Theirs.inTheContract(pool.address()),
                sell ? 1_000 : deadline,
                30,
                new SwapTerms.Offer(now() + 300, 30, Optional.empty()));
        return SwapRow.quoted(id, "pool-" + id, "run", terms, Optional.empty(), now());
    }

    /** Returns the row after the decision to lock. */
    SwapRow locking(SwapRow row) {
        return row.with(row.acts().lock(), now());
    }

    SwapRow givenUp(SwapRow row) {
        return row.with(row.acts().lock().abandon(), now());
    }

    GateInputs inputs() {
        return new GateInputs(now(), false, Optional.empty(), OptionalLong.of(now() - 100));
    }

    public void lockOfThePool() {
        pool.lock(hashLock, rig.own, deadline, WEI);
    }

    /** Makes everything mined so far final for every endpoint. */
    public void settle() {
        chain.mine(FINAL + 1);
    }

    /** Makes both endpoints report this balance of our account. */
    void balance(BigInteger wei) {
        rig.first.lies().balance(own(), wei);
        rig.second.lies().balance(own(), wei);
    }

    /** Returns all calls that any endpoint got. */
    List<EvmEndpoint.Call> calls() {
        List<EvmEndpoint.Call> all = new ArrayList<>(rig.first.calls());
        all.addAll(rig.second.calls());
        return all;
    }

    EvmAddress own() {
        return rig.own;
    }

    @Override
    public void close() {
        rig.close();
    }
}
