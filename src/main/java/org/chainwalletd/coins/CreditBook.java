package org.chainwalletd.coins;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditTable;

/** Records payments of blocks to our addresses in the feed of credits (following.md, section 3). */
public final class CreditBook implements Book<CreditTable.View, Credit> {
    private final ChainProfile profile;
    private final CreditTable table;

    public CreditBook(ChainProfile profile, CreditTable table) {
        this.profile = profile;
        this.table = table;
    }

    @Override
    public BookTable<CreditTable.View, Credit> table() {
        return table;
    }

    @Override
    public List<Credit> connect(ChainBlock block, CreditTable.View view) {
        List<Credit> credits = new ArrayList<>();
        for (int i = 0; i < block.transactions().size(); i++) {
            ChainTransaction mined = block.transactions().get(i);
            long first = (long) i << Integer.SIZE;
            mined.decoded()
                    .ifPresent(tx -> credits.addAll(
                            of(mined.id(), tx, mined.coinbase(), new Place(block.place(), first), view)));
        }
        return credits;
    }

    /** Credits of our addresses by a transaction that is not in a block yet. */
    List<Credit> pending(Hash256 txId, Transaction tx, CreditTable.View view) {
        return of(txId, tx, false, new Place(Credit.nowhere(txId), 0), view);
    }

    /**
     * @param first position of the transaction's first output
     */
    private record Place(BlockPlace block, long first) {}

    private List<Credit> of(Hash256 txId, Transaction tx, boolean coinbase, Place place, CreditTable.View view) {
        List<Credit> credits = new ArrayList<>();
        Optional<Spenders> spenders = Optional.empty();
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            Optional<Address> to = output.address().filter(view::tells);
            if (to.isPresent()) {
                Spenders from = spenders.orElseGet(() -> spenders(tx, coinbase, view));
                spenders = Optional.of(from);
                credits.add(new Credit(
                        new Outpoint(txId, i),
                        to.get(),
                        output.value(),
                        place.block(),
                        place.first() + i,
                        from.own(),
                        from.addresses().contains(to.get()),
                        coinbase,
                        Optional.ofNullable(output.datum())));
            }
        }
        return credits;
    }

    /**
     * @param addresses addresses of the plain inputs
     * @param own whether all inputs belong to our keys, plain or redeeming an HTLC
     */
    private record Spenders(Set<Address> addresses, boolean own) {}

    private Spenders spenders(Transaction tx, boolean coinbase, CreditTable.View view) {
        Set<Address> addresses = new HashSet<>();
        boolean own = !coinbase && !tx.witnesses().isEmpty();
        for (int i = 0; i < tx.witnesses().size(); i++) {
            Witness witness = tx.witnesses().get(i);
            Optional<PublicKey> signer = HtlcWitness.plainKey(witness);
            if (signer.isPresent()) {
                Address address = profile.addressOf(signer.get());
                addresses.add(address);
                own = own && view.owns(address);
            } else {
                Outpoint lock = tx.inputs().get(i);
                Optional<HtlcSpend> spend = HtlcWitness.classify(witness);
                own = own && spend.isPresent() && view.redeems(lock, spend.get());
            }
        }
        return new Spenders(addresses, own);
    }
}
