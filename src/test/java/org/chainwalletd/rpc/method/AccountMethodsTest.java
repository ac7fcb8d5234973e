package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.TestPools;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of {@code evm_send_native} for an existing payment of its token: success is reported only for a transaction that pays. */
class AccountMethodsTest {
    private static final String TOKEN = "invoice-1";
    private static final String REFERENCE = AccountSendStore.reference(TOKEN);

    @TempDir
    Path folder;

    @AutoClose
    private AccountRig rig;

    private CallRig calls;

    @BeforeEach
    void start() {
        rig = new AccountRig(folder);
        calls = new CallRig(new AccountMethods(
                        Optional.of(new AccountMethods.Services(
                                rig.endpoints, rig.sends, rig.keys, List.of(), TestPools.of("account-calls"))),
                        rig.executor)
                .all());
    }

    private Map<String, String> payment(String to) {
        return Map.of("to", to, "amount", "0.25", "client_token", TOKEN);
    }

    private void refuseEverything(String words) {
        rig.first.refuse("eth_sendRawTransaction", -32000, words);
        rig.second.refuse("eth_sendRawTransaction", -32000, words);
    }

    @Test
    void a_payment_that_is_abandoned_is_no_success_before_nor_after_its_nonce_is_spent_to_ourselves() {
        Map<String, String> payment = payment(rig.other.toString());
        refuseEverything("intrinsic gas too low");
        assertUnknown(calls.error("evm_send_native", payment), "no endpoint of the account chain has taken it");
        String hash = "0x" + rig.find(REFERENCE).hash().hex();
        long sent = rig.first.count("eth_sendRawTransaction");
        Await.until("it was refused again", () -> {
            rig.chain.clock().advance(AccountRig.PACE.resend());
            return rig.first.count("eth_sendRawTransaction") > sent;
        });
        rig.chain.clock().advance(AccountRig.PACE.refused());
        rig.await(REFERENCE, SendState.Cancelling.class);

        assertGivenUp(calls.error("evm_send_native", payment), hash);
        rig.first.behave();
        rig.second.behave();
        Await.until("the nonce is spent", () -> {
            rig.chain.clock().advance(AccountRig.PACE.resend());
            rig.chain.mine();
            return rig.chain.nonce(rig.own) == 1;
        });
        assertGivenUp(calls.error("evm_send_native", payment), hash);
        rig.chain.mine(5);
        rig.await(REFERENCE, SendState.Cancelled.class);
        JsonNode over = calls.error("evm_send_native", payment);
        assertThat(over.get("code").intValue()).isEqualTo(-32030);
        assertThat(over.get("message").asText()).contains(hash).contains("cancelled: nothing was paid");
    }

    private static void assertGivenUp(JsonNode error, String hash) {
        assertUnknown(error, "given up");
        assertThat(error.get("message").asText()).contains(hash);
    }

    private static void assertUnknown(JsonNode error, String why) {
        assertThat(error.get("code").intValue()).isEqualTo(-32020);
        assertThat(error.get("message").asText())
                .contains("outcome")
                .contains("unknown")
                .contains(why)
                .contains("same client_token");
    }

    @Test
    void a_payment_that_has_failed_in_a_block_is_no_success_although_the_block_is_not_final() {
        Map<String, String> payment = payment(rig.other.toString());
        String hash = calls.result("evm_send_native", payment).get("txhash").asText();
        for (EvmEndpoint endpoint : List.of(rig.first, rig.second)) {
            endpoint.lies().receipt(rig.find(REFERENCE).hash(), false);
        }
        rig.chain.mine();
        rig.await(REFERENCE, SendState.Mined.class);

        JsonNode failed = calls.error("evm_send_native", payment);
        assertUnknown(failed, "failed in a block that is not final");
        assertThat(failed.get("message").asText()).contains(hash);
        rig.chain.mine(5);
        rig.await(REFERENCE, SendState.Reverted.class);
        assertThat(calls.code("evm_send_native", payment)).isEqualTo(-32030);
    }

    @Test
    void a_payment_whose_receipt_no_endpoint_shows_is_neither_a_success_nor_lost() {
        Map<String, String> payment = payment(rig.other.toString());
        rig.first.lies().noReceipts();
        rig.second.lies().noReceipts();
        calls.result("evm_send_native", payment);
        rig.chain.mine(6);
        Await.until("it was looked for", () -> rig.second.count("eth_getTransactionReceipt") > 4);

        assertUnknown(calls.error("evm_send_native", payment), "its nonce is used");
        rig.first.behave();
        rig.second.behave();
        rig.await(REFERENCE, SendState.Final.class);
        assertThat(calls.result("evm_send_native", payment).get("txhash").asText())
                .isEqualTo("0x" + rig.find(REFERENCE).hash().hex());
    }

    @Test
    void a_payment_is_a_success_with_the_hash_of_what_was_mined_from_its_first_endpoint_to_its_final_block() {
        Map<String, String> payment = payment(rig.other.toString());
        String hash = calls.result("evm_send_native", payment).get("txhash").asText();
        rig.chain.mine();
        rig.await(REFERENCE, SendState.Mined.class);
        assertThat(calls.result("evm_send_native", payment).get("txhash").asText())
                .isEqualTo(hash);
        rig.chain.mine(5);
        rig.await(REFERENCE, SendState.Final.class);

        assertThat(calls.result("evm_send_native", payment).get("txhash").asText())
                .isEqualTo(hash);
    }
}
