package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Deposit watcher of the manual, as a shop would write it: a loop over {@code list_credits} that commits its bookings together with the
 * cursor. It is killed between any two lines, the daemon is restarted, the chain is reorganised, and the node lies or limits the daemon to
 * its quotas; at the end each deposit is booked once. More rounds with {@code -Ddeposits.rounds}, longer ones with {@code -Ddeposits.steps}.
 */
@Timeout(600)
class DepositWatcherTest {
    private static final int ROUNDS = Integer.getInteger("deposits.rounds", 1);
    private static final int STEPS = Integer.getInteger("deposits.steps", 25);
    private static final int DEPTH = 2;

    /** Lies that must be detected even on a development chain, whose roots and work are not enforced. */
    private static final List<String> LIES =
            List.of("tx_value", "script", "utxo_value", "balance", "forgetful", "height", "shape");

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private final Random random = Seeded.random("DepositWatcherTest");
    private DaemonRig daemon;
    private WalletdClient node;

    @Test
    void each_deposit_is_booked_once() {
        node = new WalletdClient(chain.uri(), "none", Optional.empty());
        for (int round = 0; round < ROUNDS; round++) {
            HangWatch.alive();
            Path datadir = folder.resolve("round-" + round);
            daemon = new DaemonRig(datadir, chain.uri());
            try {
                round(datadir);
            } finally {
                daemon.close();
            }
        }
    }

    private void round(Path datadir) {
        List<String> customers = List.of(daemon.newAddress(), daemon.newAddress(), daemon.newAddress());
        Shop shop = new Shop();
        for (int step = 0; step < STEPS; step++) {
            HangWatch.alive();
            happens(customers);
            if (random.nextInt(8) == 0) {
                daemon.close();
                daemon = new DaemonRig(datadir, chain.uri());
            }
            shop.runAndDie();
        }
        chain.mine(DEPTH + 1);
        node.call("devnet_set", Map.of("lie", "none"));
        daemon.awaitFollowed(chain.node());
        shop.readAll();
        assertThat(shop.booked).isEqualTo(deposits(customers));
    }

    private void happens(List<String> customers) {
        switch (random.nextInt(6)) {
            case 0, 1, 2 -> {
                for (int i = random.nextInt(3); i >= 0; i--) {
                    String to = customers.get(random.nextInt(customers.size()));
                    chain.node().faucet(Address.parse(to), Amount.of(1_000 + random.nextInt(1_000)));
                }
                chain.mine(1 + random.nextInt(2));
            }
            case 3 -> chain.node().reorganise(1 + random.nextInt(4), random.nextInt(3) != 0, List.of());
            case 4 -> {
                node.call("devnet_set", Map.of("lie", LIES.get(random.nextInt(LIES.size()))));
                chain.mine(1);
            }
            default -> node.call("devnet_set", Map.of("lie", "none", "quota", random.nextBoolean()));
        }
    }

    /** Returns amounts by outpoint at sufficient depth; none of these outputs is ever spent. */
    private Map<String, Long> deposits(List<String> customers) {
        long deepEnough = chain.node().tip().height() - DEPTH + 1;
        Map<String, Long> deposits = new HashMap<>();
        for (String customer : customers) {
            Coins.of(chain.node(), Address.parse(customer), deepEnough)
                    .forEach((outpoint, value) -> deposits.put(outpoint.toString(), value));
        }
        return deposits;
    }

    /** State that outlives the process: the bookings and the cursor, committed together. */
    private final class Shop {
        private Map<String, Long> booked = new HashMap<>();
        private Optional<String> cursor = Optional.empty();

        /** Process that starts from its database and dies anywhere. */
        void runAndDie() {
            for (int pages = random.nextInt(3); pages > 0; pages--) {
                JsonNode answer = ask(1 + random.nextInt(3));
                if (random.nextInt(4) == 0) {
                    // Died before the commit: nothing of it is in the database.
                    return;
                }
                commit(answer);
            }
        }

        void readAll() {
            JsonNode answer = ask(3);
            while (!answer.path("credits").isEmpty()) {
                commit(answer);
                answer = ask(3);
            }
        }

        private JsonNode ask(int limit) {
            Map<String, Object> params = new HashMap<>(Map.of("min_confirmations", DEPTH, "limit", limit));
            cursor.ifPresent(from -> params.put("cursor", from));
            return daemon.call("list_credits", params);
        }

        private void commit(JsonNode answer) {
            Map<String, Long> transaction = new HashMap<>(booked);
            for (JsonNode credit : answer.path("credits")) {
                String outpoint = credit.path("tx_id").asText() + ":"
                        + credit.path("output_index").asLong();
                if (credit.path("event").asText().equals("confirmed")) {
                    assertThat(transaction.put(outpoint, credit.path("amount").asLong()))
                            .as("booked twice: %s", credit)
                            .isNull();
                } else {
                    assertThat(transaction.remove(outpoint))
                            .as("taken back but never booked: %s", credit)
                            .isNotNull();
                }
            }
            booked = transaction;
            cursor = Optional.of(answer.path("cursor").asText());
        }
    }
}
