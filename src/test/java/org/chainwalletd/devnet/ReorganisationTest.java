package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.ChainHarness.A;
import static org.chainwalletd.devnet.ChainHarness.B;
import static org.chainwalletd.devnet.ChainHarness.CHAIN;
import static org.chainwalletd.devnet.ChainHarness.to;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReorganisationTest {
    private static final int REORGANISATIONS = 300;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    private final ChainHarness on = new ChainHarness(chain);

    private String place(Hash256 txId) {
        JsonNode answer = NodeCall.answer(
                chain.uri(), "get_transaction", NodeCall.JSON.createObjectNode().put("hash", txId.hex()));
        if (answer.has("error")) {
            return answer.at("/error/message").textValue();
        }
        return answer.at("/result/in_mempool").booleanValue()
                ? "mempool"
                : "block " + answer.at("/result/block_height").longValue();
    }

    @Test
    void transactions_of_the_old_blocks_go_back_to_the_mempool_and_into_the_next_block() {
        Outpoint coin = on.fund(A, 10_000);
        Transaction payment = on.signed(A, List.of(coin), to(B, 9_000));
        Hash256 txId = chain.submit(payment);
        chain.mine(1);
        assertThat(place(txId)).isEqualTo("block 12");
        Tip old = chain.node().tip();

        JsonNode reorg = on.result("devnet_reorg", "{'depth':1}");

        assertThat(reorg.get("height").longValue()).isEqualTo(13);
        assertThat(reorg.get("blocks")).hasSize(2);
        assertThat(place(txId)).isEqualTo("mempool");
        assertThat(on.balance(B.address)).isZero();
        assertThat(on.balance(A.address)).isEqualTo(10_000);
        assertThat(on.result("get_block", "{'hash':'" + old.id() + "'}")
                        .get("height")
                        .longValue())
                .as("stale blocks stay known by hash")
                .isEqualTo(12);
        assertThat(on.result("get_block", "{'height':12}").get("hash").textValue())
                .isNotEqualTo(old.id().hex());
        assertThat(on.result("get_output_spent_by", "{'tx_id':'" + coin.txId() + "','output_index':0}")
                        .get("spent")
                        .booleanValue())
                .isFalse();
        chain.mine(1);
        assertThat(place(txId)).isEqualTo("block 14");
        JsonNode info = on.result("get_node_info", "{}");
        assertThat(info.at("/metrics/reorgs_applied").intValue()).isEqualTo(1);
        assertThat(info.at("/metrics/total_blocks_undone").intValue()).isEqualTo(1);
    }

    @Test
    void with_drop_the_transactions_are_forgotten() {
        Hash256 txId = chain.submit(on.signed(A, List.of(on.fund(A, 10_000)), to(B, 9_000)));
        chain.mine(1);
        on.result("devnet_reorg", "{'depth':1,'drop':true}");
        assertThat(place(txId)).isEqualTo("Transaction not found");
    }

    @Test
    void a_conflicting_transaction_can_take_the_place_of_a_confirmed_one() {
        Outpoint coin = on.fund(A, 10_000);
        Hash256 first = chain.submit(on.signed(A, List.of(coin), to(B, 9_000)));
        chain.mine(1);
        Transaction conflict = on.signed(A, List.of(coin), to(A, 8_000));
        String hex = HexFormat.of().formatHex(TransactionCodec.encode(conflict));
        on.result("devnet_reorg", "{'depth':1,'conflicts':['" + hex + "']}");

        assertThat(place(first)).isEqualTo("Transaction not found");
        assertThat(place(TransactionCodec.txId(CHAIN, conflict))).isEqualTo("block 12");
        assertThat(on.balance(A.address)).isEqualTo(8_000);
    }

    @Test
    void an_invalid_conflict_leaves_the_chain_as_it_was() {
        Outpoint coin = on.fund(A, 10_000);
        Hash256 txId = chain.submit(on.signed(A, List.of(coin), to(B, 9_000)));
        chain.mine(3);
        Tip before = chain.node().tip();
        Hash256 stateRoot = chain.node().ledger().stateRoot();
        String hex = HexFormat.of().formatHex(TransactionCodec.encode(on.signed(B, List.of(coin), to(A, 8_000))));

        assertThat(on.error("devnet_reorg", "{'depth':3,'conflicts':['" + hex + "']}"))
                .isEqualTo("-32602 PubkeyHashMismatch { input_index: 0 }");

        assertThat(chain.node().tip()).isEqualTo(before);
        assertThat(chain.node().ledger().stateRoot()).isEqualTo(stateRoot);
        assertThat(place(txId)).isEqualTo("block 12");
    }

    @Test
    void the_genesis_block_stays() {
        assertThat(on.error("devnet_reorg", "{'depth':11}"))
                .isEqualTo("-32602 depth must be between 1 and 10, the height of the tip");
        assertThat(on.result("devnet_reorg", "{'depth':10}").get("height").longValue())
                .isEqualTo(11);
        assertThat(on.result("get_block", "{'height':0}").get("hash").textValue())
                .isEqualTo(chain.node().genesisId().hex());
    }

    @Test
    void undoing_every_block_gives_the_state_roots_of_the_way_there() {
        on.lock(ChainHarness.contract(new byte[32], 50), null, null);
        on.fund(B, 10_000);
        long top = chain.node().tip().height();
        chain.node().reorganise((int) top, false, List.of());
        Hash256 rebuilt = chain.node().ledger().stateRoot();
        assertThat(on.result("get_block", "{'height':" + (top + 1) + "}")
                        .get("state_root")
                        .textValue())
                .isEqualTo(rebuilt.hex());
    }

    /** A reorganisation may remove the coin that the faucet has chosen. */
    @Test
    void the_faucet_pays_whatever_is_reorganised_meanwhile() {
        CompletableFuture<Void> reorganising = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < REORGANISATIONS; i++) {
                chain.node().reorganise(1, false, List.of());
            }
        });
        do {
            chain.node().faucet(A.address, Amount.of(10_000));
            chain.mine(1);
        } while (!reorganising.isDone());
        Await.outcome(reorganising);
        // The last reorganisation may have removed all of these payments.
        long before = on.balance(A.address);
        chain.node().faucet(A.address, Amount.of(10_000));
        chain.mine(1);
        assertThat(on.balance(A.address)).isEqualTo(before + 10_000);
    }
}
