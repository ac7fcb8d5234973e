package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.StoreSample.hash;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The writer's filter never hides a row of the tables, whatever was written, undone or rolled back. */
class LedgerFilterTest extends OnBooks {
    private static final Address OURS = Address.of(hash(1).toArray());
    private static final Outpoint COIN = new Outpoint(hash(2), 3);

    private final LedgerTable table = new LedgerTable();

    private LedgerBooks books;

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(table);
    }

    @BeforeEach
    void open() {
        books = new LedgerBooks(file);
    }

    @Override
    protected void reopen() {
        super.reopen();
        open();
    }

    private void create(Page page) {
        table.write(page, new LedgerChange.Created(new OwnCoin(COIN, OURS, Amount.of(5), 10, false)));
    }

    private void spend(Page page) {
        table.write(page, new LedgerChange.Spent(COIN, 11, hash(9)));
    }

    private boolean isWatched(Address address) {
        return Await.result(file.write(session -> table.view(session.head()).isWatched(address)));
    }

    private boolean isSpent() {
        return Await.result(file.read(session -> session.head()
                        .queryOne("SELECT spent_height FROM coins WHERE scan = 0", row -> row.getLong(1))
                        .orElseThrow()))
                == 11;
    }

    private Optional<LedgerFilter> cached() {
        return Await.result(file.write(LedgerFilter::ifCached));
    }

    @Test
    void an_address_is_watched_from_the_moment_it_is_written_and_no_more_when_it_is_left() {
        assertThat(isWatched(OURS)).isFalse();
        Await.result(books.watch(List.of(OURS), false, 0));
        assertThat(isWatched(OURS)).isTrue();
        Await.result(books.settle(Map.of(), List.of(OURS)));
        assertThat(isWatched(OURS)).isFalse();
        Await.result(books.settle(Map.of(OURS, 0L), List.of()));
        assertThat(isWatched(OURS)).isTrue();
    }

    @Test
    void what_another_writer_of_the_file_has_changed_is_known_from_its_commit_on() {
        try (Books other = places.open(folder, List.of(table))) {
            LedgerBooks others = new LedgerBooks(other);
            assertThat(isWatched(OURS)).isFalse();
            Await.result(others.watch(List.of(OURS), false, 0));
            assertThat(isWatched(OURS)).isTrue();
            Await.result(other.write(session -> {
                create(session.head());
                return null;
            }));
            write(this::spend);
            assertThat(isSpent()).isTrue();
            Await.result(others.settle(Map.of(), List.of(OURS)));
            assertThat(isWatched(OURS)).isFalse();
        }
    }

    @Test
    void after_a_restart_every_watched_address_is_known_however_many_there_are() {
        List<Address> many = IntStream.range(0, 10_001)
                .mapToObj(i -> Address.of(
                        Hash256.sha256(new byte[] {(byte) i, (byte) (i >> 8)}).toArray()))
                .toList();
        Await.result(books.watch(many, false, 0));
        reopen();

        assertThat(isWatched(address(7))).isFalse();
        boolean all =
                Await.result(file.write(session -> many.stream().allMatch(table.view(session.head())::isWatched)));
        assertThat(all).isTrue();
    }

    @Test
    void a_coin_is_spent_in_the_commit_that_made_it_after_a_restart_and_again_after_its_spending_was_undone() {
        write(page -> {
            create(page);
            spend(page);
        });
        assertThat(isSpent()).isTrue();
        reopen();
        assertThat(isWatched(OURS)).isFalse();
        write(page -> table.undo(page, 10));
        assertThat(isSpent()).isFalse();
        write(this::spend);
        assertThat(isSpent()).isTrue();
    }

    @Test
    void a_coin_whose_spending_was_taken_back_with_its_unit_is_spent_by_the_next_one() {
        write(this::create);
        reopen();

        assertThatThrownBy(() -> write(page -> {
                    page.update("UPDATE coins SET spent_height = 11");
                    assertThat(table.view(page).isWatched(OURS)).isFalse();
                    throw new IllegalStateException("the unit fails");
                }))
                .hasMessageContaining("the unit fails");
        write(this::spend);

        assertThat(isSpent()).isTrue();
    }

    @Test
    void coins_of_a_rescan_are_spent_before_it_joins_and_afterwards() {
        write(head -> create(head.session().page(1)));
        write(this::spend);
        write(head -> table.join(head.session().page(1)));
        assertThat(isSpent()).isFalse();
        write(this::spend);
        assertThat(isSpent()).isTrue();
    }

    @Test
    void payments_of_strangers_are_known_for_such_without_a_look_into_a_table() {
        Await.result(books.watch(List.of(OURS), false, 0));
        write(this::create);
        assertThat(isWatched(address(7))).isFalse();

        LedgerFilter filter = cached().orElseThrow();
        assertThat(filter.mayBeWatched(OURS)).isTrue();
        assertThat(filter.mayBeWatched(address(7))).isFalse();
        assertThat(filter.mayBeUnspent(COIN)).isTrue();
        assertThat(filter.mayBeUnspent(new Outpoint(COIN.txId(), 4))).isFalse();
        boolean ofReader =
                Await.result(file.read(session -> LedgerFilter.of(session).isPresent()));
        assertThat(ofReader).as("a reader asks the tables").isFalse();
    }

    private static Address address(int number) {
        return Address.of(hash(number).toArray());
    }

    @Test
    void all_watched_addresses_are_read_whichever_bytes_they_are_of() {
        Set<Address> watched = new HashSet<>();
        for (int first : new int[] {0, 0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff}) {
            for (int rest : new int[] {0, 0x7f, 0x80, 0xff}) {
                byte[] bytes = new byte[Address.LENGTH];
                Arrays.fill(bytes, (byte) rest);
                bytes[0] = (byte) first;
                watched.add(Address.of(bytes));
            }
        }
        Await.result(books.watch(List.copyOf(watched), false, 0));

        assertThat(Await.result(books.allWatched())).isEqualTo(watched);
        assertThat(Await.result(books.allWatchedJoined()).stream()
                        .mapToInt(joined -> joined.length)
                        .sum())
                .isEqualTo(watched.size() * Address.LENGTH);
    }

    private boolean isOwned(Address address) {
        return Await.result(file.write(session -> table.view(session.head()).isOwned(address)));
    }

    private void watchOnly(OptionalLong birth) {
        Await.result(books.settleWatchOnly(Map.of(OURS, birth), List.of(), address -> true));
    }

    private LedgerBooks.Watched row() {
        return Await.result(books.find(OURS)).orElseThrow();
    }

    private OptionalLong unread() {
        return Await.result(file.read(session -> table.unread(session.head(), Optional.empty())));
    }

    private void follow(long height) {
        write(page -> {
            BlockRows.put(page, new BlockRow(height, hash(77), hash(76), 0, hash(0), true));
            table.begin(page, height);
        });
    }

    @Test
    void the_key_of_a_watched_address_makes_it_owned_permanently_and_its_history_is_read() {
        follow(50);
        watchOnly(OptionalLong.of(51));
        assertThat(isWatched(OURS)).isTrue();
        assertThat(isOwned(OURS)).isFalse();
        assertThat(row().isCovered()).isTrue();
        assertThat(Await.result(books.allWatched())).isEmpty();

        Await.result(books.watch(List.of(OURS), false, 0));
        assertThat(isOwned(OURS)).isTrue();
        assertThat(row().isCovered()).as("its HTLCs are not known").isFalse();
        assertThat(unread()).hasValue(0);
        assertThat(Await.result(books.allWatched())).containsExactly(OURS);
        assertThat(Await.result(books.watchOnly())).isEmpty();

        watchOnly(OptionalLong.of(1));
        Await.result(books.settleWatchOnly(Map.of(), List.of(OURS), address -> true));
        assertThat(isOwned(OURS)).as("owned wins").isTrue();
    }

    @Test
    void an_address_that_is_watched_again_after_its_key_was_deleted_stays_watched() {
        follow(50);
        Await.result(books.watch(List.of(OURS), true, 5));
        assertThat(isOwned(OURS)).isTrue();
        Await.result(books.settleWatchOnly(Map.of(OURS, OptionalLong.empty()), List.of(), address -> false));
        assertThat(isOwned(OURS)).isFalse();
        assertThat(row().isCovered()).as("it was watched all the time").isTrue();
        assertThat(Await.result(books.watchOnly())).containsExactly(OURS);
        Await.result(books.settle(Map.of(), List.of(OURS)));
        assertThat(isWatched(OURS)).isTrue();

        Await.result(books.watch(List.of(OURS), false, 0));
        assertThat(isOwned(OURS)).isTrue();
        Await.result(books.settle(Map.of(), List.of(OURS)));
        assertThat(isWatched(OURS)).as("its key came and was deleted").isFalse();
    }

    @Test
    void blocks_are_read_for_an_address_without_a_key_only_when_its_birth_is_reported_and_never_fewer_than_before() {
        follow(50);
        watchOnly(OptionalLong.empty());
        assertThat(unread()).isEmpty();
        assertThat(row().isCovered()).as("nobody knows what it was paid before").isFalse();
        watchOnly(OptionalLong.of(20));
        assertThat(unread()).hasValue(20);
        watchOnly(OptionalLong.of(10));
        assertThat(unread()).hasValue(10);
        watchOnly(OptionalLong.of(40));
        watchOnly(OptionalLong.empty());
        assertThat(unread()).hasValue(10);
        Await.result(books.settleWatchOnly(Map.of(), List.of(OURS), address -> true));
        assertThat(isWatched(OURS)).isFalse();
        assertThat(unread()).isEmpty();
    }
}
