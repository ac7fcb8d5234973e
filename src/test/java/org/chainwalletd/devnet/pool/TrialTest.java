package org.chainwalletd.devnet.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.ScriptedNode;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class TrialTest {
    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @AutoClose
    final EvmDevnet evm = EvmDevnet.start();

    @Test
    void a_contract_is_deployed_and_a_pool_stands_there_with_money_on_both_chains() throws IOException {
        evm.endpoint().before("eth_getTransactionReceipt", () -> evm.mine());
        try (Trial trial = Trial.start(chain.node(), evm.uri())) {
            assertThat(trial.contract()).isNotEqualTo(evm.contract());
            assertThat(trial.codeHash()).isEqualTo(evm.codeHash());
            assertThat(evm.balance(trial.pool().evmAddress())).isEqualTo(BigInteger.TEN.pow(21));
            Bytes script = Bytes.wrap(trial.pool().chainAddress().toArray());
            assertThat(chain.node().ledger().list(script, null, null, 10).coins())
                    .extracting(coin -> coin.output().value())
                    .containsExactly(Amount.of(20_000_000_000L));
        }
    }

    @Test
    void a_chain_that_is_none_for_development_is_refused_before_anything_is_sent() {
        try (ScriptedNode real = ScriptedNode.start()) {
            real.on("eth_chainId", ScriptedNode.result("\"0x1\""));
            assertThatThrownBy(() -> Trial.start(chain.node(), real.url()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("none for development");
            assertThat(real.requests()).hasSize(1);
        }
    }

    @Test
    void anvil_is_found_on_the_path_in_a_folder_or_by_its_name(@TempDir Path folder) throws IOException {
        Path bin = Files.createDirectories(folder.resolve("node_modules/@foundry-rs/anvil-linux-amd64/bin"));
        Path program = Files.writeString(bin.resolve("anvil"), "#!/bin/sh\n");
        assertThat(Anvil.find(Optional.of(folder), "")).isEmpty();
        assertThat(program.toFile().setExecutable(true)).isTrue();

        assertThat(Anvil.find(Optional.of(folder), "")).contains(program);
        assertThat(Anvil.find(Optional.of(program), "")).contains(program);
        assertThat(Anvil.find(Optional.empty(), "/nowhere:" + bin)).contains(program);
        assertThat(Anvil.find(Optional.empty(), "/nowhere")).isEmpty();
        assertThat(Anvil.find(Optional.of(folder.resolve("missing")), bin.toString()))
                .isEmpty();
        assertThatThrownBy(() -> Anvil.start(program, Duration.ZERO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not start");
    }
}
