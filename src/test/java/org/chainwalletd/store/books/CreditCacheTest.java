package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.hash;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** The writer's caches of the feed and of timeouts never hide a row, whatever was undone or written before a restart. */
class CreditCacheTest extends OnBooks {
    private static final Address OURS = Address.of(hash(1).toArray());
    private static final PublicKey KEY = PublicKey.of(hash(2).toArray());
    private static final Outpoint COIN = new Outpoint(hash(3), 0);
    private static final BlockPlace BLOCK = new BlockPlace(10, hash(4));

    private final LedgerTable ledger = new LedgerTable();
    private final CreditTable credits = new CreditTable(page -> address -> true);
    private final HtlcTable htlcs = new HtlcTable(page -> address -> true);

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(ledger, htlcs, credits);
    }

    private long count(String of) {
        return Await.result(file.read(session -> session.head()
                .queryOne("SELECT COUNT(*) FROM " + of, row -> row.getLong(1))
                .orElseThrow()));
    }

    private static Credit credit(BlockPlace block) {
        return new Credit(COIN, OURS, Amount.of(7), block, 0, false, false, false, Optional.empty());
    }

    @Test
    void a_block_that_comes_back_has_the_credits_that_it_had_also_after_a_restart() {
        write(page -> credits.write(page, credit(BLOCK)));
        write(page -> credits.undo(page, 9));
        write(page -> credits.write(page, credit(BLOCK)));
        write(page -> credits.undo(page, 9));
        reopen();
        write(page -> credits.write(page, credit(BLOCK)));

        assertThat(count("credits")).isEqualTo(1);
        assertThat(count("credits WHERE active = 1")).isEqualTo(1);
    }

    @Test
    void what_was_seen_before_a_restart_waits_no_more_when_a_block_has_it() {
        write(page -> CreditTable.see(page, credit(Credit.nowhere(COIN.txId()))));
        reopen();
        assertThat(count("credits WHERE scan = -1 AND active = 1")).isEqualTo(1);
        write(page -> credits.write(page, credit(BLOCK)));

        assertThat(count("credits WHERE scan = -1 AND active = 1")).isZero();
        assertThat(count("credits WHERE scan = 0 AND active = 1")).isEqualTo(1);
    }

    @Test
    void a_timeout_passes_again_after_its_block_was_undone_and_one_that_comes_later_and_is_lower_passes_first() {
        lock(hash(5), 100);
        pass(101);
        assertThat(count("htlcs WHERE expired = 1")).isEqualTo(1);
        write(page -> htlcs.undo(page, 99));
        assertThat(count("htlcs WHERE expired = 1")).isZero();
        pass(100);
        assertThat(count("htlcs WHERE expired = 1")).isZero();
        lock(hash(6), 50);
        pass(100);
        assertThat(count("htlcs WHERE expired = 1")).isEqualTo(1);
        pass(101);
        assertThat(count("htlcs WHERE expired = 1")).isEqualTo(2);
    }

    private void lock(Hash256 txId, long timeout) {
        write(page -> htlcs.write(
                page,
                new HtlcTable.Locked(
                        new Outpoint(txId, 0),
                        new HtlcParams(KEY, KEY, hash(7), timeout),
                        OURS,
                        OURS,
                        Amount.of(9),
                        HtlcTable.SENDER,
                        20)));
    }

    private void pass(long height) {
        write(page -> htlcs.write(page, new HtlcTable.Passed(height)));
    }
}
