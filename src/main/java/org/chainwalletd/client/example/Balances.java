package org.chainwalletd.client.example;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.Keys.ListAddresses;
import org.chainwalletd.api.Reads.GetBalance;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/**
 * Prints the confirmed balance of each address, queried concurrently. The environment specifies the daemon: {@code WALLETD_URL},
 * {@code WALLETD_AUTH_TOKEN} (read scope) and {@code WALLETD_FINGERPRINT}.
 */
public final class Balances {
    private Balances() {}

    public static void main(String[] args) {
        WalletdClient daemon = WalletdClient.fromEnvironment();
        try {
            ListAddresses.Result keys = daemon.call(new ListAddresses());
            List<CompletableFuture<GetBalance.Result>> asked = keys.addresses().stream()
                    .map(key -> daemon.callAsync(new GetBalance(key.address())))
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
