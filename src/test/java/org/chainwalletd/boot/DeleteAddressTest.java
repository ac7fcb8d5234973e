package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import java.io.IOException;
import java.nio.file.Path;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code delete_address} over HTTP, with nodes that cannot know the balance of the address. */
class DeleteAddressTest {
    @TempDir
    Path datadir;

    @Test
    void a_key_is_kept_while_the_only_node_is_of_another_chain() {
        try (DaemonRig daemon = DaemonRig.withChain(datadir, "--expect-genesis", "ab".repeat(32))) {
            Party holder = daemon.imported(1);
            assertKept(daemon, holder, "could not be checked");
            assertThat(daemon.call(
                                    "delete_address",
                                    params(
                                            "address", holder.address,
                                            "passphrase", DaemonRig.PASSPHRASE,
                                            "force", true))
                            .path("deleted")
                            .asText())
                    .isEqualTo(holder.address.hex());
        }
    }

    /** The daemon was at height 15 before; this node does not know what the address received above height 10. */
    @Test
    void a_key_is_kept_while_the_only_node_lacks_blocks_that_were_seen_before_the_last_start() throws IOException {
        Party holder;
        try (Devnet whole = chain(15);
                DaemonRig daemon = DaemonRig.over(whole, datadir)) {
            holder = daemon.imported(1);
            daemon.awaitFollowed();
        }
        try (Devnet behind = chain(10);
                DaemonRig daemon = DaemonRig.over(behind, datadir)) {
            assertKept(daemon, holder, "is at height 10, below 15");
        }
        try (Devnet further = chain(16);
                DaemonRig daemon = DaemonRig.over(further, datadir)) {
            daemon.awaitFollowed();
            daemon.awaitHistories();
            daemon.call("delete_address", "address", holder.address, "passphrase", DaemonRig.PASSPHRASE);
            assertThat(daemon.call("list_addresses").path("addresses")).isEmpty();
        }
    }

    private static Devnet chain(int blocks) throws IOException {
        return Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(blocks));
    }

    private static void assertKept(DaemonRig daemon, Party holder, String why) {
        WalletdException.RpcError refusal =
                daemon.refused(-32602, "delete_address", "address", holder.address, "passphrase", DaemonRig.PASSPHRASE);
        assertThat(refusal.getMessage()).contains(why);
        assertThat(daemon.call("list_addresses").toString()).contains(holder.address.hex());
    }
}
