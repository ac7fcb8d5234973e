package org.chainwalletd.client.example;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.client.AsyncWalletdMethods;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.client.method.GetBalance;
import org.chainwalletd.client.method.ListAddresses;

/**
 * Prints the confirmed balance of each address, asked for all at once: with the daemon in {@code WALLETD_URL}, {@code WALLETD_AUTH_TOKEN} (of the
 * read scope) and {@code WALLETD_FINGERPRINT}.
 */
public final class Balances {
    private Balances() {}

    public static void main(String[] args) {
        WalletdClient daemon = WalletdClient.fromEnvironment();
        try {
            List<ListAddresses.Result.Address> addresses =
                    daemon.listAddresses().addresses();
            AsyncWalletdMethods later = daemon.async();
            List<CompletableFuture<GetBalance.Result>> asked = addresses.stream()
                    .map(entry -> later.getBalance(GetBalance.of(entry.address())))
                    .toList();
            for (CompletableFuture<GetBalance.Result> answer : asked) {
                System.out.println(answer.join().address() + " " + answer.join().balance());
            }
        } catch (WalletdException.Authentication e) {
            System.err.println("set WALLETD_AUTH_TOKEN to the read token");
            System.exit(1);
        }
    }
}
