package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.store.books.Spending;
import org.chainwalletd.store.books.SpendingTable;

/**
 * Records which of our coins are spent in blocks: plain inputs signed by one of our keys, even if another party used that key, and script
 * inputs of our HTLCs or of transactions that pay us, such as claims and reclaims.
 */
public final class SpendingBook implements Book<SpendingTable.View, Spending> {
    private final ChainProfile profile;
    private final SpendingTable table;

    public SpendingBook(ChainProfile profile, SpendingTable table) {
        this.profile = profile;
        this.table = table;
    }

    @Override
    public SpendingTable table() {
        return table;
    }

    @Override
    public List<Spending> connect(ChainBlock block, SpendingTable.View view) {
        List<Spending> spendings = new ArrayList<>();
        Map<Address, Boolean> ours = new HashMap<>();
        for (ChainTransaction mined : block.transactions()) {
            if (!mined.coinbase() && mined.decoded().isPresent()) {
                connect(block, mined, view, ours, spendings);
            }
        }
        return spendings;
    }

    private void connect(
            ChainBlock block,
            ChainTransaction mined,
            SpendingTable.View view,
            Map<Address, Boolean> ours,
            List<Spending> spendings) {
        Transaction tx = mined.decoded().orElseThrow();
        for (int i = 0; i < tx.inputs().size(); i++) {
            Optional<PublicKey> signer = HtlcWitness.plainKey(tx.witnesses().get(i));
            boolean isOurs = signer.isPresent()
                    ? ours.computeIfAbsent(profile.addressOf(signer.get()), view.isOurs()::test)
                    : view.isHtlc().test(tx.inputs().get(i)) || paysUs(tx, view, ours);
            if (isOurs) {
                spendings.add(new Spending(tx.inputs().get(i), mined.id(), block.place()));
            }
        }
    }

    private static boolean paysUs(Transaction tx, SpendingTable.View view, Map<Address, Boolean> ours) {
        return tx.outputs().stream()
                .flatMap(output -> output.address().stream())
                .anyMatch(address -> ours.computeIfAbsent(address, view.isOurs()::test));
    }
}
