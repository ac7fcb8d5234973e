package org.chainwalletd.client.example;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.chainwalletd.client.Settlement;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.client.method.GetBalance;
import org.chainwalletd.client.method.Transfer;

/**
 * Pays once, however often it is started with the same token: {@code Payout FROM TO AMOUNT TOKEN}, with the daemon in {@code WALLETD_URL},
 * {@code WALLETD_AUTH_TOKEN} (of the spend scope) and {@code WALLETD_FINGERPRINT}.
 */
public final class Payout {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private Payout() {}

    public static void main(String[] args) {
        if (args.length != 4) {
            System.err.println("usage: Payout FROM TO AMOUNT TOKEN");
            System.exit(2);
        }
        WalletdClient daemon = WalletdClient.fromEnvironment();
        Transfer payout = Transfer.of(args[0], List.of(Transfer.Output.of(args[1], new BigInteger(args[2]))))
                .withClientToken(args[3]);
        try {
            Transfer.Result receipt = new Settlement(daemon, PATIENCE).settle(payout);
            System.out.println("paid with " + receipt.txId() + ", fee " + receipt.fee() + ", left "
                    + daemon.getBalance(GetBalance.of(args[0])).balance() + " confirmed");
        } catch (WalletdException e) {
            System.err.println("not settled: " + e.getMessage());
            System.exit(1);
        }
    }
}
