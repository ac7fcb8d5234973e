package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import java.util.TreeSet;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The recorded transactions sent again, byte for byte, at the same heights. Coinbases depend on nothing but height, fees and miner, so
 * the same coins are there; and with them ids, transaction roots and state roots come out equal. Only what contains a block time differs.
 */
class RecordedStoryTest {
    private static final Set<String> OF_THAT_CHAIN_ALONE =
            Set.of("hash", "block_hash", "block_id", "prev_block_id", "timestamp", "next_cursor");

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withFirstBlocks(47));

    private final ChainHarness on = new ChainHarness(chain);

    @Test
    void the_recorded_payment_is_told_again() {
        same("send_raw_transaction");
        same("send_raw_transaction already pending");
        same("get_transaction pending");
        same("get_address_mempool");
        same("get_address_mempool of the payer");
        same("get_address_mempool_batch");
        same("send_raw_transaction double spend of a pending input");
        sameNodeInfo();

        letOneBlockPassWithout("send_raw_transaction");
        assertThat(chain.mine(1)).isEqualTo(49);

        same("get_transaction confirmed");
        same("get_block by height");
        sameBlockByHash();
        same("send_raw_transaction of a confirmed transaction");
        same("get_output_spent_by spent");
        same("get_output_spent_by unspent");
        same("get_balance");
        same("get_balances");
        same("get_address_utxos");
        sameFirstPage();
        same("get_address_utxos_batch");
        same("get_block_height");
    }

    @Test
    void the_recorded_contract_is_locked_and_claimed_again() {
        chain.mine(1);
        same("send_raw_transaction");
        chain.mine(2);
        same("send_raw_transaction of an HTLC lock");
        assertThat(chain.mine(1)).isEqualTo(51);

        same("get_transaction of an HTLC lock");
        same("get_script_utxos of an HTLC");
        same("send_raw_transaction claim with a wrong preimage");
        same("send_raw_transaction claim signed by a stranger");
        same("send_raw_transaction reclaim too early");
        chain.mine(1);
        same("send_raw_transaction claim");
        assertThat(chain.mine(1)).isEqualTo(53);
        same("get_transaction of a claim");
        same("get_output_spent_by of a claimed HTLC");
    }

    @Test
    void an_early_reclaim_is_accepted_once_the_next_block_is_above_the_timeout() {
        chain.mine(1);
        same("send_raw_transaction");
        chain.mine(2);
        same("send_raw_transaction of an HTLC lock");
        JsonNode reclaim = Recorded.params(Recorded.call("send_raw_transaction reclaim too early"));
        chain.mine(148 - 50);
        assertThat(chain.node().tip().height()).isEqualTo(148);
        same("send_raw_transaction reclaim too early");
        chain.mine(1);

        JsonNode answer = NodeCall.answer(chain.uri(), "send_raw_transaction", reclaim);
        assertThat(answer.at("/result/tx_id").textValue()).hasSize(64);
        assertThat(chain.mine(1)).isEqualTo(150);
        JsonNode confirmed = on.result(
                "get_transaction", "{'hash':'" + answer.at("/result/tx_id").textValue() + "'}");
        JsonNode recorded = Recorded.call("get_transaction of a reclaim").at("/answer/result");
        assertThat(confirmed.fieldNames()).toIterable().containsExactlyElementsOf(recorded::fieldNames);
        assertThat(confirmed.get("block_height").intValue()).isEqualTo(150);
    }

    /** In the recording, the block that was being mined when the payment arrived did not include it. */
    private void letOneBlockPassWithout(String name) {
        chain.node().forgetMempool();
        chain.mine(1);
        same(name);
    }

    private void same(String name) {
        JsonNode exchange = Recorded.call(name);
        JsonNode answer =
                NodeCall.answer(chain.uri(), exchange.required("method").textValue(), Recorded.params(exchange));
        assertThat(stripped(outcome(answer))).as(name).isEqualTo(stripped(outcome(exchange.required("answer"))));
    }

    private void sameBlockByHash() {
        String id = chain.node().tip().id().hex();
        JsonNode block = on.result("get_block", "{'hash':'" + id + "'}");
        assertThat(block.get("hash").textValue()).isEqualTo(id);
        assertThat(stripped(block))
                .isEqualTo(stripped(Recorded.call("get_block by hash").at("/answer/result")));
    }

    private void sameFirstPage() {
        same("get_address_utxos first page");
        JsonNode exchange = Recorded.call("get_address_utxos first page");
        JsonNode page = NodeCall.answer(chain.uri(), "get_address_utxos", Recorded.params(exchange))
                .get("result");
        String cursor = page.get("next_cursor").textValue();
        String recorded = exchange.at("/answer/result/next_cursor").textValue();
        assertThat(cursor)
                .startsWith(chain.node().tip().id() + ":")
                .endsWith(recorded.substring(recorded.indexOf(':')));
        ObjectNode next = Recorded.params(exchange).deepCopy();
        JsonNode second = NodeCall.answer(chain.uri(), "get_address_utxos", next.put("cursor", cursor))
                .get("result");
        assertThat(second.at("/utxos/0/tx_id").textValue())
                .isGreaterThan(page.at("/utxos/1/tx_id").textValue());
    }

    private void sameNodeInfo() {
        JsonNode recorded = Recorded.call("get_node_info").at("/answer/result");
        JsonNode info = NodeCall.answer(chain.uri(), "get_node_info", null).get("result");
        assertThat(info.fieldNames()).toIterable().containsExactlyElementsOf(recorded::fieldNames);
        assertThat(info.get("metrics")).isEqualTo(recorded.get("metrics"));
        for (String member : new TreeSet<>(Set.of(
                "genesis_block_id",
                "mempool_bytes",
                "mempool_size",
                "network",
                "peer_count",
                "tip_height",
                "version"))) {
            assertThat(info.get(member)).as(member).isEqualTo(recorded.get(member));
        }
    }

    private static JsonNode outcome(JsonNode answer) {
        return answer.has("error") ? answer.get("error") : answer.required("result");
    }

    private static JsonNode stripped(JsonNode outcome) {
        ObjectNode copy = outcome.deepCopy();
        OF_THAT_CHAIN_ALONE.forEach(member -> {
            if (copy.has(member)) {
                copy.put(member, copy.get(member).getNodeType().name());
            }
        });
        return copy;
    }
}
