package org.chainwalletd.rpc.method.wait;

import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/** A credit as {@code list_credits} and the events tell it. */
public record CreditView(
        @Doc("number in the log of events; never used twice")
        long seq,

        @Doc("seen (in a mempool, only with min_confirmations 0), confirmed or removed")
        String event,

        Address address,
        Hash256 txId,
        @U32 long outputIndex,
        Amount amount,

        @Doc("null for what was only seen") @OrNull Long blockHeight,

        @Doc("null for what was only seen") @OrNull Hash256 blockId,

        @Doc("now; 0 after a removal and while it is only seen")
        long confirmations,

        @Doc("paid by keys of this daemon alone, HTLCs that they redeem included")
        boolean own,

        @Doc("paid by the address itself") boolean change,
        boolean coinbase,

        @Doc("tip height from which it can be spent; null for what was only seen") @OrNull
        Long spendableHeight,

        Optional<Bytes> datum,

        @Doc("when the datum is 16 bytes, as payments of quotes carry them")
        Optional<Bytes> quoteId,

        @Doc(
                "true while it is not known that the chain is the one the operator means: --expect-genesis does not name it, or its"
                        + " blocks are not linked to that genesis or to --checkpoint yet. Absent otherwise")
        Optional<Boolean> unverified) {
    private static final int QUOTE_ID_BYTES = 16;

    /**
     * @param tipHeight to which confirmations are counted
     * @param maturity blocks until a coinbase may be spent
     * @param verified whether the chain is known to be the one that the operator means
     */
    public static CreditView of(CreditEvent event, long tipHeight, int maturity, boolean verified) {
        Credit credit = event.credit();
        boolean mined = credit.isInBlock();
        long height = credit.block().height();
        return new CreditView(
                event.number(),
                event.kind().name().toLowerCase(Locale.ROOT),
                credit.address(),
                credit.outpoint().txId(),
                credit.outpoint().index(),
                credit.amount(),
                mined ? height : null,
                mined ? credit.block().blockId() : null,
                event.confirmed() ? Math.max(0, tipHeight - height + 1) : 0,
                credit.own(),
                credit.change(),
                credit.coinbase(),
                mined ? Long.valueOf(credit.coinbase() ? height + maturity - 1 : height) : null,
                credit.datum(),
                credit.datum().filter(datum -> datum.length() == QUOTE_ID_BYTES),
                verified ? Optional.empty() : Optional.of(true));
    }
}
