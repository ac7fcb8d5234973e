package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.api.Scope;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Methods of interface.md, section 4.13, in a daemon without a swap engine: registered, validated, refused. */
class SwapNotConfiguredTest {
    private static final String ADDRESS = "\"" + "a".repeat(64) + "\"";
    private static final String EVM_ADDRESS = "\"0x" + "b".repeat(40) + "\"";

    private static final List<String> WELL_FORMED = List.of(
            "swap_get_quote {\"direction\":\"chain_to_native\",\"amount_in\":\"1.5\",\"from\":" + ADDRESS + "}",
            "swap_execute {\"swap_id\":\"x\"}",
            "swap_refund {\"swap_id\":\"x\"}",
            "swap_status {\"swap_id\":\"x\"}",
            "swap_list {}",
            "swap_pool_info {}",
            "swap_price_klines {\"limit\":7}",
            "lp_pool_info {}",
            "lp_position {\"address\":" + ADDRESS + "}",
            "lp_deposit_start {\"chain_address\":" + ADDRESS + ",\"evm_address\":" + EVM_ADDRESS + "}",
            "lp_deposit_status {\"id\":\"x\"}",
            "lp_withdraw_self {\"chain_address\":" + ADDRESS + ",\"shares\":\"2\"}",
            "evm_get_balances {}",
            "evm_tx_history {}",
            "evm_send_native {\"to\":" + EVM_ADDRESS + ",\"amount\":\"max\"}");

    private final RpcDispatcher dispatcher = new RpcDispatcher(
            AllMethods.registry(),
            List.of(),
            CallObserver.NONE,
            new RpcDispatcher.Limits(1, 1, 0),
            TestMethods.EXECUTOR);

    @TestFactory
    List<DynamicTest> each_method_says_what_is_not_configured() {
        return WELL_FORMED.stream()
                .map(call -> call.split(" ", 2))
                .map(call -> DynamicTest.dynamicTest(
                        call[0],
                        () -> assertThat(answer(call[0], call[1]))
                                .contains("\"code\":-32602")
                                .contains(
                                        call[0].startsWith("evm_")
                                                ? "account chain not configured"
                                                : "swap not configured")))
                .toList();
    }

    @Test
    void a_wrong_parameter_is_named_first() {
        assertThat(answer("swap_execute", "{}")).contains("-32602").contains("swap_id");
        assertThat(answer("evm_send_native", "{\"to\":" + EVM_ADDRESS + "}"))
                .contains("-32602")
                .contains("amount");
    }

    private String answer(String method, String params) {
        String request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params + "}";
        return new String(
                TestMethods.answer(dispatcher, Optional.of(Scope.SPEND), request.getBytes(UTF_8))
                        .body(),
                UTF_8);
    }
}
