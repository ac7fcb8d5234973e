package org.chainwalletd.swap.legs;

import java.time.InstantSource;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.pool.Pool;

/**
 * Lets the pool send our claim of its own lock ({@code --swap-allow-relay}), which is used only without gas for a claim of our own. It shows
 * the secret to the one who gains by keeping it: the pool is trusted with the whole amount, so it comes after the gate, and after a row that
 * says that a claim is journalled: nothing else tells of the request.
 */
public final class Relay {
    /** A claim that an honest pool has sent is on the chain by then. */
    private static final long PATIENCE_SECONDS = 120;

    private final Pool pool;
    private final InstantSource clock;
    private final Consumer<SwapAlarm> alarms;
    private final Executor executor;

    /** @param executor for continuations; never blocks */
    public Relay(Pool pool, InstantSource clock, Consumer<SwapAlarm> alarms, Executor executor) {
        this.pool = pool;
        this.clock = clock;
        this.alarms = alarms;
        this.executor = executor;
    }

    /**
     * Asks for it, or asks again.
     *
     * @param row whose pool's lock is not claimed yet, and whose claim is journalled
     * @param call of the contract's claim, which ends with the secret
     * @return the id of the transaction that the pool says it has sent
     */
    CompletionStage<String> claim(SwapRow row, Bytes call) {
        long waited = clock.instant().getEpochSecond() - row.updatedAt();
        if (waited >= PATIENCE_SECONDS) {
            alarms.accept(SwapAlarm.of(
                    SwapAlarm.Kind.RELAY_SILENT,
                    row,
                    "the pool has had the secret for " + waited
                            + " s and no claim is on the account chain: send gas to "
                            + row.terms().ours().evm() + ", and the claim leaves by itself"));
        }
        byte[] preimage = SwapContract.claimed(call).orElseThrow();
        try (SecretBytes secret = SecretBytes.takeOver(preimage)) {
            return pool.relayClaim(row.poolSwapId(), secret).thenApplyAsync(hash -> "0x" + hash.hex(), executor);
        }
    }
}
