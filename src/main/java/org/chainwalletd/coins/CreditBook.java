package org.chainwalletd.coins;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainTransaction;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditTable;

/** Enters what blocks pay to our addresses into the feed of credits (following.md, section 3). */
public final class CreditBook implements Book<Predicate<Address>, Credit> {
    private static final int KEY_BYTES = 32;

    private final ChainProfile profile;
    private final CreditTable table;

    public CreditBook(ChainProfile profile, CreditTable table) {
        this.profile = profile;
        this.table = table;
    }

    @Override
    public BookTable<Predicate<Address>, Credit> table() {
        return table;
    }

    @Override
    public List<Credit> connect(ChainBlock block, Predicate<Address> owned) {
        List<Credit> credits = new ArrayList<>();
        for (int i = 0; i < block.transactions().size(); i++) {
            ChainTransaction mined = block.transactions().get(i);
            long first = (long) i << Integer.SIZE;
            mined.decoded().ifPresent(tx -> connect(block, mined, tx, first, owned, credits));
        }
        return credits;
    }

    private void connect(
            ChainBlock block,
            ChainTransaction mined,
            Transaction tx,
            long first,
            Predicate<Address> owned,
            List<Credit> credits) {
        Optional<Spenders> spenders = Optional.empty();
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            Optional<Address> to = output.address().filter(owned);
            if (to.isPresent()) {
                Spenders from = spenders.orElseGet(() -> spenders(mined, tx, owned));
                spenders = Optional.of(from);
                credits.add(new Credit(
                        new Outpoint(mined.id(), i),
                        to.get(),
                        output.value(),
                        block.place(),
                        first + i,
                        from.own(),
                        from.addresses().contains(to.get()),
                        mined.coinbase(),
                        Optional.ofNullable(output.datum())));
            }
        }
    }

    /**
     * @param own whether all inputs are plain and of our keys
     */
    private record Spenders(Set<Address> addresses, boolean own) {}

    private Spenders spenders(ChainTransaction mined, Transaction tx, Predicate<Address> owned) {
        Set<Address> addresses = new HashSet<>();
        boolean plain = !mined.coinbase();
        for (Witness witness : tx.witnesses()) {
            if (witness.data().length() == Witness.PLAIN_LENGTH) {
                addresses.add(profile.addressOf(PublicKey.of(witness.data().slice(0, KEY_BYTES))));
            } else {
                plain = false;
            }
        }
        return new Spenders(
                addresses, plain && !addresses.isEmpty() && addresses.stream().allMatch(owned));
    }
}
