package org.chainwalletd.watch;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.chainwalletd.api.Following.GetFollowerStatus;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Htlcs.Htlc;
import org.chainwalletd.api.Htlcs.HtlcList;
import org.chainwalletd.api.Reads.GetStatus;
import org.chainwalletd.api.Reads.GetWalletBalance;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/** Reads the daemon's data, with a read token. */
final class Readings {
    private static final int MOST_HTLCS = 1000;

    private final WalletdClient daemon;

    Readings(WalletdClient daemon) {
        this.daemon = daemon;
    }

    /**
     * Data that is cheap to read, and so is read often.
     *
     * @param follower empty before the first block
     * @param meters empty if metrics are served elsewhere
     * @param notReady reasons of {@code /readyz}; empty when the daemon is ready, or when a proxy does not forward that path
     */
    record Quick(
            GetStatus.Result status,
            Optional<GetFollowerStatus.Result> follower,
            Optional<Meters> meters,
            List<String> notReady) {}

    /** Total balance of the addresses with one label, in base units. */
    record Holding(String label, int addresses, BigInteger balance) {}

    /**
     * Data that is read less often.
     *
     * @param holdings largest first
     * @param htlcs open HTLCs, earliest timeout first
     */
    record Slow(List<Holding> holdings, BigInteger total, List<Htlc> htlcs) {}

    /** @throws WalletdException if the daemon does not answer, or refuses */
    Quick quick() {
        GetStatus.Result status = daemon.call(new GetStatus());
        return new Quick(status, follower(), meters(), notReady());
    }

    private List<String> notReady() {
        try {
            return daemon.notReady();
        } catch (WalletdException.Transport elsewhere) {
            return List.of();
        }
    }

    private Optional<GetFollowerStatus.Result> follower() {
        try {
            return Optional.of(daemon.call(new GetFollowerStatus()));
        } catch (WalletdException.Upstream notYet) {
            return Optional.empty();
        }
    }

    private Optional<Meters> meters() {
        try {
            return Optional.of(Meters.of(daemon.metrics()));
        } catch (WalletdException.Transport elsewhere) {
            return Optional.empty();
        }
    }

    /** @throws WalletdException if the daemon does not answer, or refuses */
    Slow slow() {
        GetWalletBalance.Result wallet =
                daemon.call(new GetWalletBalance(Optional.of(false), Optional.empty(), Optional.empty()));
        Map<String, Holding> byLabel = new TreeMap<>();
        wallet.entries()
                .forEach(entry -> byLabel.merge(
                        entry.label().orElse("(none)"),
                        new Holding(
                                entry.label().orElse("(none)"),
                                1,
                                entry.balance().toBigInteger()),
                        (one, other) -> new Holding(
                                one.label(),
                                one.addresses() + other.addresses(),
                                one.balance().add(other.balance()))));
        List<Holding> holdings = byLabel.values().stream()
                .sorted(Comparator.comparing(Holding::balance).reversed())
                .toList();
        return new Slow(holdings, wallet.total().toBigInteger(), openHtlcs());
    }

    private List<Htlc> openHtlcs() {
        HtlcList open = HtlcList.of()
                .withState(List.of(Htlcs.State.LOCKED, Htlcs.State.LOCKED_EXPIRED))
                .withLimit(MOST_HTLCS);
        return daemon.call(open).htlcs().stream()
                .sorted(Comparator.comparing(htlc -> htlc.params().timeoutHeight()))
                .toList();
    }
}
