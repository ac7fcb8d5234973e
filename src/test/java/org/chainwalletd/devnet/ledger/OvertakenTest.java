package org.chainwalletd.devnet.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A block that arrives while a transaction is checked (chain protocol, section 17). */
class OvertakenTest {
    private static final Party PAYER = new Party(0);

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    private List<Outpoint> coins(int count) {
        Outpoint large = new Outpoint(chain.fund(PAYER.address, 10_000_000), 0);
        Hash256 txId = chain.submit(signed(
                List.of(large), Collections.nCopies(count, output(10_000)).toArray(TxOutput[]::new)));
        chain.mine(1);
        return IntStream.range(0, count).mapToObj(i -> new Outpoint(txId, i)).toList();
    }

    private static TxOutput output(long value) {
        return TxOutput.toAddress(PAYER.address, Amount.of(value));
    }

    private Transaction signed(List<Outpoint> inputs, TxOutput... outputs) {
        return PAYER.pay(chain.node().genesisId(), inputs, outputs);
    }

    @Test
    void a_large_transaction_is_to_be_sent_again() {
        Transaction large = signed(coins(40), output(300_000));
        Ledger ledger = chain.node().ledger();
        Ledger.Checked checked = ledger.check(large);
        chain.mine(1);
        assertThatThrownBy(() -> ledger.insert(checked))
                .isInstanceOf(Ledger.TipChangedException.class)
                .hasMessage("Tip changed during validation, try again");
        assertThat(ledger.statistics().mempoolTransactions()).isZero();
        assertThat(ledger.submit(large)).isEqualTo(checked.txId());
    }

    @Test
    void a_small_one_is_checked_again_at_once() {
        List<Outpoint> coins = coins(2);
        Transaction small = signed(coins, output(10_000));
        Ledger ledger = chain.node().ledger();
        Ledger.Checked checked = ledger.check(small);
        chain.mine(1);
        assertThat(ledger.insert(checked)).isEqualTo(checked.txId());
    }

    @Test
    void a_small_one_whose_coin_the_block_spent_is_refused() {
        List<Outpoint> coins = coins(2);
        Ledger ledger = chain.node().ledger();
        Ledger.Checked checked = ledger.check(signed(coins, output(10_000)));
        chain.submit(signed(coins.subList(0, 1), output(9_000)));
        chain.mine(1);
        assertThatThrownBy(() -> ledger.insert(checked))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("UtxoNotFound(");
    }
}
