package org.chainwalletd.client.example;

import java.time.Duration;
import java.util.List;
import org.chainwalletd.api.Reads.GetBalance;
import org.chainwalletd.api.Spending.Output;
import org.chainwalletd.api.Spending.Payment;
import org.chainwalletd.api.Spending.Transfer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.client.Settlement;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/**
 * Pays once, however often it is started with the same token: {@code Payout FROM TO AMOUNT TOKEN}. The environment specifies the daemon:
 * {@code WALLETD_URL}, {@code WALLETD_AUTH_TOKEN} (spend scope) and {@code WALLETD_FINGERPRINT}.
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
        Address from = Address.parse(args[0]);
        Output output = Output.of(Address.parse(args[1]), Amount.of(Long.parseLong(args[2])));
        Transfer payout = new Transfer(Payment.of(from, List.of(output)), args[3]);
        try {
            Transfer.Result receipt = new Settlement(daemon, PATIENCE).settle(payout);
            System.out.println("paid with " + receipt.txId() + ", fee " + receipt.fee() + ", left "
                    + daemon.call(new GetBalance(from)).balance() + " confirmed");
        } catch (WalletdException e) {
            System.err.println("not settled: " + e.getMessage());
            System.exit(1);
        }
    }
}
