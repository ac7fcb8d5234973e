package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Network;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.SqliteStore;

/**
 * Everything that spending works with.
 *
 * @param network which one the nodes say they are of, as far as they have
 * @param executor for continuations; never blocks
 */
public record SpendEnvironment(
        ChainProfile profile,
        NodeClient node,
        ChainIdentity identity,
        Supplier<Optional<Network>> network,
        Signer signer,
        IntentStore intents,
        ReservationStore reservations,
        ReceiptStore receipts,
        AllowanceStore allowanceStore,
        Allowance.Limits limits,
        Rebroadcaster.Pace pace,
        Clock clock,
        Executor executor) {
    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration FIRST_LOOK = Duration.ofSeconds(3);
    private static final Duration RESEND_PAUSE = Duration.ofMillis(200);

    /** As the daemon runs: limits and paces from the settings, the system's clock. */
    public static SpendEnvironment of(
            Settings settings,
            NodeClient node,
            ChainIdentity identity,
            Supplier<Optional<Network>> network,
            Signer signer,
            SqliteStore store,
            Executor executor) {
        Settings.Spend spend = settings.spend();
        return new SpendEnvironment(
                settings.chain(),
                node,
                identity,
                network,
                signer,
                store.intents(),
                store.reservations(),
                store.receipts(),
                store.allowance(),
                new Allowance.Limits(spend.capPerTx(), spend.capPerPeriod(), spend.capPeriod()),
                new Rebroadcaster.Pace(
                        TICK,
                        FIRST_LOOK,
                        spend.rebroadcastInterval(),
                        spend.reservationTtl(),
                        spend.receiptTtl(),
                        spend.capPeriod(),
                        RESEND_PAUSE),
                Clock.systemUTC(),
                executor);
    }
}
