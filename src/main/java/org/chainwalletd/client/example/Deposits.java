package org.chainwalletd.client.example;

import java.util.Optional;
import org.chainwalletd.api.Waiting.Credit;
import org.chainwalletd.api.Waiting.ListCredits;
import org.chainwalletd.client.CreditFeed;
import org.chainwalletd.client.CreditFeed.CreditPage;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/**
 * Prints deposits when they have enough confirmations: {@code Deposits MIN_CONFIRMATIONS [CURSOR]}. The environment specifies the daemon:
 * {@code WALLETD_URL}, {@code WALLETD_AUTH_TOKEN} (read scope) and {@code WALLETD_FINGERPRINT}. Prints one line per event, and the cursor after
 * each page; when started with the last cursor, it continues there and prints nothing twice. Runs until it is stopped.
 */
public final class Deposits {
    private Deposits() {}

    public static void main(String[] args) {
        if (args.length < 1 || args.length > 2) {
            System.err.println("usage: Deposits MIN_CONFIRMATIONS [CURSOR]");
            System.exit(2);
        }
        Optional<String> stored = args.length == 2 ? Optional.of(args[1]) : Optional.empty();
        WalletdClient daemon = WalletdClient.fromEnvironment();
        try {
            follow(daemon, Long.parseLong(args[0]), stored);
        } catch (WalletdException e) {
            System.err.println("the feed has ended: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void follow(WalletdClient daemon, long depth, Optional<String> stored) {
        CreditFeed feed = new CreditFeed(daemon, ListCredits.of().withMinConfirmations(depth), stored);
        while (feed.hasNext()) {
            CreditPage page = feed.next();
            // A real program stores the credits and the cursor in one transaction of its database.
            for (Credit credit : page.credits()) {
                System.out.println(credit.event() + " " + credit.amount() + " to " + credit.address() + " by "
                        + credit.txId() + ":" + credit.outputIndex());
            }
            System.out.println("cursor " + page.cursor());
        }
    }
}
