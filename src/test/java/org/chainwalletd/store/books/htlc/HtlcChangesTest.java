package org.chainwalletd.store.books.htlc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.OnBooks;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** Every change of a reported row appears in the log. */
public class HtlcChangesTest extends OnBooks {
    private static final Outpoint LOCK = new Outpoint(Hash256.sha256(new byte[] {1}), 0);

    protected final HtlcTable table = new HtlcTable(page -> address -> true);

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(table);
    }

    private List<HtlcChanges.Change> changes() {
        return Await.result(file.read(session -> HtlcChanges.after(session.head(), 0, 100)));
    }

    protected void write(HtlcTable.Change change) {
        write(head -> table.write(head, change));
    }

    protected static HtlcTable.Locked lock(long height) {
        PublicKey key = PublicKey.of(new byte[32]);
        return new HtlcTable.Locked(
                LOCK,
                new HtlcParams(key, key, Hash256.ZERO, 50),
                Address.of(new byte[32]),
                Address.of(new byte[32]),
                Amount.of(1_000),
                HtlcTable.SENDER,
                height);
    }

    @Test
    void a_lock_its_claim_its_timeout_and_their_undoing_are_changes_and_nothing_else_is() {
        write(lock(10));
        write(lock(10));
        write(new HtlcTable.Passed(50));
        write(new HtlcTable.Passed(51));
        write(new HtlcTable.Claimed(LOCK, Hash256.ZERO, 0, Bytes.parse("00"), 52));
        assertThat(changes()).as("locked, expired, claimed").hasSize(3);

        write(head -> table.undo(head, 51));
        assertThat(changes()).as("the claim is open again").hasSize(4);
        write(head -> table.undo(head, 9));

        List<HtlcChanges.Change> all = changes();
        assertThat(all).hasSize(5);
        assertThat(all)
                .allMatch(
                        change -> change.outpoint().equals(LOCK) && change.row().isEmpty());
    }

    @Test
    void a_rescan_changes_nothing_before_it_joins() {
        write(head -> table.write(head.session().page(1), lock(10)));
        assertThat(changes()).isEmpty();

        write(head -> table.join(head.session().page(1)));

        assertThat(changes()).hasSize(1);
        assertThat(changes().get(0).row()).isPresent();
    }

    @Test
    void what_was_told_is_dropped_and_its_numbers_are_not_used_again() {
        write(lock(10));
        long told = changes().get(0).number();
        write(head -> HtlcChanges.drop(head, head.session().isShared() ? told + HtlcChanges.KEPT : told));
        write(new HtlcTable.Passed(51));

        assertThat(changes())
                .singleElement()
                .satisfies(change -> assertThat(change.number()).isGreaterThan(told));
    }

    @Test
    void a_lock_past_its_timeout_is_locked_again_when_another_chain_is_followed() {
        write(head -> HtlcRows.see(head, lock(HtlcTable.NOWHERE), List.of()));
        write(lock(10));
        write(new HtlcTable.Passed(51));

        write(head -> table.beginAnew(head, 10));

        List<HtlcRow> open = Await.result(file.read(session ->
                HtlcRows.ofState(session.head(), HtlcTable.LOCKED, HtlcTable.SENDER, HtlcRows.Position.before(0), 9)));
        assertThat(open).extracting(HtlcRow::outpoint).containsExactly(LOCK);
    }

    @Test
    void only_a_preimage_that_fits_the_lock_is_recorded_of_a_claim_in_no_block() {
        Bytes preimage = Bytes.parse("01");
        HtlcTable.Locked lock = lock(10);
        HtlcParams params = new HtlcParams(
                lock.params().sender(), lock.params().receiver(), HtlcWitness.hashLockOf(preimage.toArray()), 50);
        write(new HtlcTable.Locked(LOCK, params, lock.sender(), lock.receiver(), lock.amount(), lock.role(), 10));
        for (String shown : List.of("02", "01", "03")) {
            write(head -> HtlcRows.seeClaim(
                    head, new HtlcTable.Claimed(LOCK, Hash256.ZERO, 0, Bytes.parse(shown), HtlcTable.NOWHERE)));
            Optional<Bytes> recorded = Await.result(file.read(session -> HtlcRows.find(session.head(), LOCK)))
                    .orElseThrow()
                    .claim()
                    .flatMap(HtlcRow.Spend::preimage);
            assertThat(recorded).isEqualTo(shown.equals("02") ? Optional.empty() : Optional.of(preimage));
        }
    }
}
