package org.chainwalletd.rpc.method;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.rpc.AllMethods;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The errors that the reference lists for the methods, and the tests that cause them. */
class ListedErrorsTest {
    /**
     * Each row has a code, the test class that causes it (with a colon and a word of that class if it does not contain the code), and the
     * methods. One class stands for several methods with the same cause, and for failures beneath a swap, which keep their code.
     */
    private static final String PROOFS = """
            -32010 | TransferErrorsIT | transfer simulate_transfer
            -32010 | HtlcMethodsTest | htlc_lock simulate_htlc_lock htlc_claim htlc_reclaim
            -32010 | MergedRecordsTest | htlc_status
            -32010 | KeyringRefusalsIT | reveal_address_mnemonic reveal_private_key export_address delete_address
            -32010 | OwnPaymentsDaemonTest | set_label
            -32010 | QuoteMethodsTest | quote_issue
            -32010 | MessageMethodsTest | sign_message
            -32010 | SwapMethodsTest | swap_get_quote
            -32010 | ListedErrorsTest | list_credits
            -32010 | SwapErrorsTest:keeps_its_code | swap_execute swap_refund
            -32011 | KeyringRefusalsIT | import_private_key import_mnemonic import_standard_mnemonic
            -32011 | KeyringErrorsTest:Reason.values() | generate_address
            -32011 | EvmSendMethodsTest | evm_create_address evm_import_mnemonic evm_import_key
            -32012 | KeyringRefusalsIT | import_vault delete_address
            -32012 | KeyringIT | reveal_address_mnemonic reveal_mnemonic reveal_private_key export_address export_vault
            -32012 | EvmSendMethodsTest | evm_reveal_mnemonic reveal_evm_private_key evm_delete_key
            -32012 | DamagedKeystoreTest:LOCKED | generate_address
            -32012 | EvmCustodyTest:LOCKED | evm_get_address evm_create_address evm_import_mnemonic evm_import_key
            -32012 | EvmCustodyTest:LOCKED | evm_get_balances evm_send_native swap_get_quote
            -32012 | DamagedKeystoreTest:LOCKED | transfer htlc_lock htlc_claim htlc_reclaim quote_issue sign_message
            -32012 | SwapErrorsTest:keeps_its_code | swap_execute swap_refund
            -32013 | EvmSendMethodsTest | evm_reveal_mnemonic reveal_evm_private_key evm_delete_key
            -32013 | EvmSendMethodsTest | evm_get_balances evm_send_native
            -32013 | SwapDaemonTest | swap_get_quote
            -32020 | ListedErrorsTest | get_block_height get_block_by_id get_block_by_height get_block_id_at_height
            -32020 | ListedErrorsTest | get_block get_transaction get_balance get_wallet_balance get_address_utxos
            -32020 | ListedErrorsTest | get_script_utxos get_address_mempool
            -32020 | OtherChainTest | get_follower_status get_output_spent_by
            -32020 | TransferErrorsIT | transfer simulate_transfer send_raw_transaction
            -32020 | AbandonTest:isInstanceOf(NodeException.class) | abandon_transfer
            -32020 | HtlcMethodsTest | htlc_lock simulate_htlc_lock htlc_claim htlc_reclaim
            -32020 | MergedRecordsTest | htlc_status htlc_list htlc_lookup_by_hashlock
            -32020 | EvmSendMethodsTest | evm_get_balances evm_send_native
            -32020 | UpstreamErrorsTest:BY_KIND | quote_issue quote_verify
            -32020 | IndexerMethodsTest | get_address_history list_settlements contract_stats get_attestation_edges
            -32020 | IndexerMethodsTest | detect_in_chain_swaps get_output_datum find_settlements_by_quote_id
            -32020 | PoolMethodsTest | swap_pool_info swap_price_klines lp_pool_info lp_position lp_deposit_start
            -32020 | PoolMethodsTest | lp_deposit_status lp_withdraw_self
            -32020 | SwapMethodsTest | swap_get_quote swap_execute swap_refund
            -32021 | TransferErrorsIT | transfer
            -32021 | TransferTest:DoubleSpend | send_raw_transaction
            -32021 | HtlcMethodsTest | htlc_lock htlc_claim htlc_reclaim
            -32021 | SwapErrorsTest:keeps_its_code | swap_execute swap_refund
            -32030 | OtherChainTest | transfer simulate_transfer send_raw_transaction
            -32030 | HtlcMethodsTest | htlc_lock simulate_htlc_lock htlc_claim htlc_reclaim
            -32030 | QuoteMethodsTest | quote_issue quote_verify
            -32030 | SendRefusalTest:TX_BUILD | evm_send_native
            -32030 | SwapErrorsTest:keeps_its_code | swap_execute swap_refund
            -32031 | TransferErrorsIT | transfer simulate_transfer
            -32031 | HtlcMethodsTest | htlc_lock simulate_htlc_lock
            -32031 | EvmSendMethodsTest | evm_send_native
            -32031 | SwapErrorsTest:keeps_its_code | swap_execute swap_refund
            -32032 | TransferErrorsIT | transfer simulate_transfer
            -32032 | HtlcMethodsTest | htlc_lock simulate_htlc_lock htlc_claim htlc_reclaim
            -32032 | SwapErrorsTest:keeps_its_code | swap_execute
            -32033 | TransferErrorsIT | transfer simulate_transfer
            -32033 | HtlcMethodsTest | htlc_lock simulate_htlc_lock
            -32033 | SwapErrorsTest:keeps_its_code | swap_execute
            -32034 | TransferErrorsIT | transfer simulate_transfer
            -32035 | TransferErrorsIT | transfer
            -32035 | HtlcMethodsTest | htlc_lock htlc_claim htlc_reclaim
            -32035 | EvmSendMethodsTest | evm_send_native
            -32036 | HtlcMethodsTest | htlc_claim htlc_reclaim
            -32036 | SwapErrorsTest:keeps_its_code | swap_refund
            -32037 | HtlcMethodsTest | htlc_reclaim
            -32037 | SwapMethodsTest | swap_refund
            -32038 | TransferErrorsIT | transfer simulate_transfer
            -32038 | HtlcMethodsTest | htlc_lock simulate_htlc_lock htlc_claim htlc_reclaim
            -32038 | SwapErrorsTest:keeps_its_code | swap_execute
            -32039 | TransferErrorsIT | transfer simulate_transfer
            -32039 | HtlcMethodsTest | htlc_lock simulate_htlc_lock htlc_claim htlc_reclaim
            -32039 | SwapErrorsTest:keeps_its_code | swap_execute swap_refund
            -32010 | PayoutAttacksTest | payout_submit
            -32020 | PayoutQueueTest:ErrorCode.UPSTREAM | payout_submit
            -32020 | WritesInDoubtTest:ErrorCode.UPSTREAM | payout_cancel payout_release payout_pause payout_resume
            -32020 | WritesInDoubtTest:ErrorCode.UPSTREAM | sweep sweep_stop
            -32033 | PayoutAttacksTest | payout_submit
            -32010 | PayoutOperatorTest | payout_recall
            -32012 | PayoutOperatorTest | payout_recall
            -32038 | PayoutOperatorTest | payout_recall
            -32010 | SweepMethodsTest | sweep
            -32031 | SweepMethodsTest | sweep
            -32032 | SweepMethodsTest | sweep
            -32035 | SweepMethodsTest | sweep
            -32039 | SweepMethodsTest | sweep
            -32035 | PayoutAttacksTest | payout_submit
            -32038 | PayoutMethodsTest | payout_submit
            -32040 | OtherChainTest | wait_for_tx
            -32041 | IndexerMethodsTest | get_address_history list_settlements contract_stats get_attestation_edges
            -32041 | IndexerMethodsTest | detect_in_chain_swaps find_settlements_by_quote_id
            """;

    private static final Map<String, String> READS = Map.ofEntries(
            Map.entry("get_block_height", "{}"),
            Map.entry("get_block_by_id", "{\"block_id\":\"HEX\"}"),
            Map.entry("get_block_by_height", "{\"height\":1}"),
            Map.entry("get_block_id_at_height", "{\"height\":1}"),
            Map.entry("get_block", "{\"height\":1}"),
            Map.entry("get_transaction", "{\"tx_id\":\"HEX\"}"),
            Map.entry("get_balance", "{\"address\":\"HEX\"}"),
            Map.entry("get_wallet_balance", "{}"),
            Map.entry("get_address_utxos", "{\"address\":\"HEX\"}"),
            Map.entry("get_script_utxos", "{\"script_hex\":\"51\"}"),
            Map.entry("get_address_mempool", "{\"address\":\"HEX\"}"));

    @TempDir
    Path datadir;

    private record Proof(String code, String test, String word, List<String> methods) {
        static Proof of(String row) {
            String[] cells = row.split(" *\\| *");
            String[] test = cells[1].split(":", 2);
            return new Proof(cells[0], test[0], test.length > 1 ? test[1] : cells[0], List.of(cells[2].split(" ")));
        }
    }

    private static Stream<Proof> proofs() {
        return PROOFS.lines().map(Proof::of);
    }

    @Test
    void every_listed_error_has_a_test_and_every_tested_one_is_listed() {
        Map<String, TreeSet<String>> proven = new TreeMap<>();
        proofs().forEach(proof -> proof.methods()
                .forEach(method ->
                        proven.computeIfAbsent(method, none -> new TreeSet<>()).add(proof.code())));
        Map<String, TreeSet<String>> listed = new TreeMap<>();
        for (RpcMethod<?, ?> method : AllMethods.registry().methods()) {
            for (ErrorCode error : method.errors()) {
                listed.computeIfAbsent(method.name(), none -> new TreeSet<>()).add(String.valueOf(error.code()));
            }
        }
        assertThat(proven).containsExactlyEntriesOf(listed);
    }

    @Test
    void every_test_that_is_named_is_there_and_names_its_error() throws IOException {
        Map<String, Path> sources;
        try (Stream<Path> all = Files.walk(Path.of("src/test/java"))) {
            sources = all.filter(file -> file.toString().endsWith(".java"))
                    .collect(toMap(
                            file -> file.getFileName().toString().replace(".java", ""),
                            file -> file,
                            (one, other) -> one));
        }
        List<String> lacking = new ArrayList<>();
        for (Proof proof : proofs().toList()) {
            Path source = sources.get(proof.test());
            if (source == null || !Files.readString(source).contains(proof.word())) {
                lacking.add(proof.test() + " " + proof.word());
            }
        }
        assertThat(lacking).isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> a_read_that_no_node_answers_is_refused_with_32020() {
        return READS.entrySet().stream()
                .map(read -> DynamicTest.dynamicTest(read.getKey(), () -> {
                    try (ReadRig rig = new ReadRig(Optional.empty(), datadir, URI.create("http://127.0.0.1:1"))) {
                        rig.keys.add(new KeyEntry(
                                Address.parse("ab".repeat(32)),
                                Optional.empty(),
                                OptionalLong.empty(),
                                Optional.empty(),
                                true));
                        assertThat(rig.error(read.getKey(), read.getValue().replace("HEX", "ab".repeat(32))))
                                .startsWith("-32020 ");
                    }
                }));
    }

    @Test
    void credits_of_an_address_that_is_none_of_ours_are_refused_with_32010() {
        try (DaemonRig daemon = new DaemonRig(datadir, ScriptedNode.refusing())) {
            assertThat(daemon.refusal("list_credits", "address", "ab".repeat(32)))
                    .isEqualTo(-32010);
        }
    }

    @Test
    void every_refusal_has_an_error_of_its_own_and_none_becomes_upstream_silently() {
        assertThat(SpendErrors.known().stream().<Class<?>>map(kind -> kind))
                .containsExactlyInAnyOrder(SpendRefusal.class.getPermittedSubclasses());
    }

    private static Record dataOf(SpendRefusal refusal) {
        return new SpendErrors(address -> false)
                .translate(new SpendException(refusal))
                .orElseThrow()
                .data();
    }

    @Test
    void an_upstream_error_names_the_transaction_that_a_node_may_have() {
        Hash256 txId = Hash256.parse("28".repeat(32));
        Record named = new SpendErrors.PerhapsSent(txId);

        assertThat(dataOf(SpendRefusal.UpstreamFailed.afterSending(txId, false, "refused")))
                .isEqualTo(named);
        assertThat(dataOf(new SpendRefusal.OutcomeUnknown(txId, false, "lost"))).isEqualTo(named);
        assertThat(dataOf(new SpendRefusal.Contested(txId))).isEqualTo(named);
        assertThat(dataOf(new SpendRefusal.UpstreamFailed("no node"))).isNull();
    }
}
