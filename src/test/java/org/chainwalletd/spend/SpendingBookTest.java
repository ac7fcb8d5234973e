package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.store.books.Spending;
import org.chainwalletd.store.books.SpendingTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spendings that a block adds, for plain inputs and for inputs that spend HTLCs. */
class SpendingBookTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final byte[] SIGNATURE = new byte[64];
    private static final PublicKey OURS =
            PublicKey.of(Hash256.sha256(new byte[1]).toArray());
    private static final PublicKey FOREIGN =
            PublicKey.of(Hash256.sha256(new byte[2]).toArray());
    private static final Outpoint LOCK = new Outpoint(Hash256.sha256(new byte[3]), 1);
    private static final Outpoint OTHER = new Outpoint(Hash256.sha256(new byte[4]), 0);

    private final SpendingTable.View view = new SpendingTable.View(PROFILE.addressOf(OURS)::equals, LOCK::equals);
    private final SpendingBook book = new SpendingBook(PROFILE, new SpendingTable(page -> view));

    private List<Spending> spendings(Outpoint spent, Witness witness, PublicKey paid) {
        Address to = PROFILE.addressOf(paid);
        Transaction tx =
                new Transaction(List.of(spent), List.of(TxOutput.toAddress(to, Amount.of(500))), List.of(witness));
        BlockHeader header = new BlockHeader(1, 7, Hash256.ZERO, 0, Hash256.ZERO, 1, Hash256.ZERO, Hash256.ZERO);
        Hash256 txId = TransactionCodec.txId(PROFILE, tx);
        ChainBlock block =
                new ChainBlock(header, header.id(), List.of(new ChainTransaction(txId, Optional.of(tx), false)));
        List<Spending> spendings = book.connect(block, view);
        assertThat(spendings).allMatch(spending -> spending.equals(new Spending(spent, txId, block.place())));
        return spendings;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 19, 20, 21, 32})
    void a_claim_of_our_htlc_is_recorded_whatever_the_length_of_its_preimage(int length) {
        Witness claim = HtlcWitness.claim(new byte[length], SIGNATURE);

        assertThat(spendings(LOCK, claim, FOREIGN)).hasSize(1);
        assertThat(spendings(OTHER, claim, OURS)).as("one that pays us").hasSize(1);
        assertThat(spendings(OTHER, claim, FOREIGN)).isEmpty();
    }

    @Test
    void a_plain_input_is_recorded_if_our_key_has_signed_it() {
        assertThat(spendings(OTHER, Witness.plain(OURS, SIGNATURE), FOREIGN)).hasSize(1);
        assertThat(spendings(OTHER, Witness.plain(FOREIGN, SIGNATURE), OURS)).isEmpty();
    }
}
