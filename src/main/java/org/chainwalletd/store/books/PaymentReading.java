package org.chainwalletd.store.books;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;

/**
 * Looks in the log for the first transaction after a cursor that pays its address enough: in the chain or a mempool by now, no change, and
 * not one that was seen before the cursor and is only confirmed after it. One answer, inside one transaction.
 */
final class PaymentReading {
    private final Page page;
    private final Amount least;
    private final long top;
    /** What was seen up to here was told. */
    private final long told;

    private CreditCursor at;

    /** @param cursor of one address at depth 0 */
    PaymentReading(Page page, CreditCursor cursor, Amount least, long top) {
        this.page = page;
        this.at = cursor;
        this.least = least;
        this.top = top;
        this.told = cursor.log();
    }

    CreditFeed.NextPayment next() {
        List<CreditReading.Entry> entries = CreditReading.entries(page, at);
        while (!entries.isEmpty()) {
            for (CreditReading.Entry entry : entries) {
                if (CreditReading.isHidden(page, entry, top)) {
                    return new CreditFeed.NextPayment(Optional.empty(), at, top);
                }
                if (entry.number() > at.log()) {
                    at = at.at(entry.number());
                    Optional<CreditFeed.Payment> found = paymentOf(entry);
                    if (found.isPresent()) {
                        return new CreditFeed.NextPayment(found, at, top);
                    }
                }
            }
            entries = CreditReading.entries(page, at);
        }
        return new CreditFeed.NextPayment(Optional.empty(), at, top);
    }

    private Optional<CreditFeed.Payment> paymentOf(CreditReading.Entry entry) {
        if (entry.credit() == null || !isFresh(entry)) {
            return Optional.empty();
        }
        // The entries of one transaction follow each other.
        List<Credit> credits = new ArrayList<>();
        for (CreditReading.Entry next : CreditReading.entries(page, at.at(entry.number() - 1))) {
            if (next.credit() == null || next.kind() != entry.kind() || !isSameTransaction(next, entry)) {
                break;
            }
            credits.add(next.credit());
            at = at.at(next.number());
        }
        Amount sum = credits.stream().map(Credit::amount).reduce(Amount.ofUnsigned(0), PaymentReading::sum);
        Credit first = entry.credit();
        return Optional.of(new CreditFeed.Payment(
                        first.outpoint().txId(),
                        sum,
                        first.isInBlock() ? Optional.of(first.block().height()) : Optional.empty()))
                .filter(payment -> sum.compareTo(least) >= 0);
    }

    private static boolean isSameTransaction(CreditReading.Entry one, CreditReading.Entry other) {
        return one.credit().outpoint().txId().equals(other.credit().outpoint().txId());
    }

    private boolean isFresh(CreditReading.Entry entry) {
        Credit credit = entry.credit();
        return entry.event().kind() != CreditEvent.Kind.REMOVED
                && !credit.change()
                && CreditReading.isActive(page, credit)
                && !wasPending(credit.outpoint().txId(), credit.outpoint().index());
    }

    /** Whether the last that was told of the output before the cursor is that it was seen. */
    private boolean wasPending(Hash256 txId, long output) {
        return page.queryOne(
                        "SELECT l.entry FROM (SELECT id" + CreditTable.SEEN_IN + " AND output = ?2) c"
                                + " CROSS JOIN credit_log l INDEXED BY credit_log_by_credit ON l.credit = c.id"
                                + " WHERE l.number <= ?3 ORDER BY l.number DESC LIMIT 1",
                        row -> row.getInt(1) == CreditTable.SEEN,
                        txId.toArray(),
                        output,
                        told)
                .orElse(false);
    }

    private static Amount sum(Amount a, Amount b) {
        long bits = a.bits() + b.bits();
        return Amount.ofUnsigned(U64.compare(bits, a.bits()) < 0 ? -1L : bits);
    }
}
