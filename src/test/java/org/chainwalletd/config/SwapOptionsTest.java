package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Swaps require a complete configuration; otherwise nothing is locked. */
class SwapOptionsTest {
    private static final String CONTRACT = "0x" + "c0".repeat(20);
    private static final String CODE = "0x" + "cd".repeat(32);

    @TempDir
    Path home;

    private final Map<String, String> flags = new HashMap<>(Map.of(
            "--swap-pool",
            "https://pool.test",
            "--swap-contract",
            CONTRACT,
            "--swap-contract-code-hash",
            CODE,
            "--evm-rpc",
            "http://a.test,http://b.test",
            "--evm-chain-id",
            "1",
            "--expect-genesis",
            "11".repeat(32)));

    private Configuration load() {
        return SettingsLoader.load(flags, Map.of(), home);
    }

    private List<String> problems() {
        return catchThrowableOfType(ConfigurationException.class, this::load).problems();
    }

    @Test
    void the_defaults_are_those_of_the_specification() {
        Settings.Swapping rules =
                load().settings().swaps().partner().orElseThrow().swapping().orElseThrow();
        assertThat(rules)
                .isEqualTo(new Settings.Swapping(
                        EvmAddress.parse(CONTRACT),
                        Hash256.parse("cd".repeat(32)),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        4_320,
                        43_200,
                        3_600,
                        360,
                        100,
                        500,
                        false));
        assertThat(load().warnings()).isEmpty();
    }

    @Test
    void each_missing_part_is_named() {
        flags.remove("--expect-genesis");
        assertThat(problems()).singleElement().asString().startsWith("--swap-contract needs --expect-genesis");
        flags.remove("--swap-contract-code-hash");
        flags.remove("--evm-rpc");
        flags.remove("--evm-chain-id");
        assertThat(problems())
                .hasSize(3)
                .anyMatch(problem -> problem.startsWith("--swap-contract needs --swap-contract-code-hash"))
                .anyMatch(problem -> problem.startsWith("--swap-contract needs --evm-rpc"));
    }

    @Test
    void without_a_contract_the_pool_is_only_asked() {
        flags.remove("--swap-contract");
        assertThat(load().settings().swaps().partner().orElseThrow().swapping()).isEmpty();
        assertThat(load().warnings()).containsExactly("--swap-contract-code-hash do nothing without --swap-contract");
    }

    @Test
    void without_a_pool_there_is_no_engine() {
        flags.remove("--swap-pool");
        assertThat(load().settings().swaps().partner()).isEmpty();
        assertThat(load().warnings()).containsExactly("--swap-contract does nothing without --swap-pool");
    }

    @Test
    void numbers_that_would_make_a_swap_unsafe_are_refused() {
        flags.put("--swap-chain-confirmations", "721");
        flags.put("--swap-lock-blocks", "359");
        flags.put("--swap-lock-secs", "7199");
        flags.put("--swap-evm-margin-secs", "599");
        flags.put("--swap-chain-margin-blocks", "59");
        flags.put("--swap-max-fee-bps", "10001");
        flags.put("--swap-contract", "0x" + "00".repeat(20));
        flags.put("--swap-contract-code-hash", "0xabc");
        assertThat(problems()).hasSize(8);
    }

    @Test
    void what_is_risky_is_said() {
        flags.put("--swap-chain-confirmations", "3");
        flags.put("--swap-allow-relay", "true");
        assertThat(load().warnings())
                .hasSize(2)
                .anyMatch(warning -> warning.contains("3 blocks of somebody else can undo"))
                .anyMatch(warning -> warning.contains("trusts the pool"));
    }
}
