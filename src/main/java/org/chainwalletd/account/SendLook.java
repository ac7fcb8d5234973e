package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Outcome;

/**
 * Asks the quorum for the outcome of the transactions of one address. Anything on which the quorum does not agree is asked again at the next look.
 */
final class SendLook {
    /** Maximum number of receipts that are requested in one look; exceeded only if the first transaction alone has more versions. */
    private static final int MOST = 128;

    private static final int MOST_BLOCKS = 64;

    private SendLook() {}

    /** Result for one row at this look. */
    sealed interface Finding {
        /** The nonce is not used yet. */
        record Waiting() implements Finding {}

        record InBlock(Outcome outcome, boolean isFinal) implements Finding {}

        /** The nonce is used at a final block, and the quorum agrees that no version has a receipt. */
        record NonceUsed() implements Finding {}
    }

    /**
     * Results of a look.
     *
     * @param findings results by row id; a row without a result is not contained
     * @param next id of the row at which the next look starts: the first one whose receipts were not requested
     */
    record Findings(long head, Map<Long, Finding> findings, long next) {}

    /** Position of the chain and transaction counts of the address. */
    private record Place(long head, long count, Optional<AccountBlock> last, long countAtLast) {}

    /**
     * Performs a look. Blocks.
     *
     * @param chain endpoints, with the threads and permits for these transactions
     * @param first id of the row at which requests for receipts start, so that all rows are served in turn
     */
    static Findings look(AccountChain chain, EvmAddress from, List<AccountSend> rows, long first) {
        Place place = place(chain, from);
        return look(chain, place, rows, first, stillOnChain(chain, place, rows));
    }

    private static Place place(AccountChain chain, EvmAddress from) {
        CompletionStage<Long> head = chain.reached(reads ->
                reads.block(BlockRef.Tag.LATEST).map(AccountBlock::number).orElse(0L));
        CompletionStage<Long> count = chain.reached(reads -> reads.transactionCount(from, BlockRef.Tag.LATEST));
        Optional<AccountBlock> last = await(chain.finalBlock());
        long countAtLast = last.map(block -> countAt(chain, from, block)).orElse(0L);
        return new Place(await(head), await(count), last, countAtLast);
    }

    /** Returns the transaction count at a block, which is used only to detect that another sender has used a nonce; 0 if endpoints disagree. */
    private static long countAt(AccountChain chain, EvmAddress from, AccountBlock block) {
        try {
            return await(chain.agreed(reads -> reads.transactionCount(from, BlockRef.hash(block.hash()))));
        } catch (AccountException e) {
            return 0;
        }
    }

    /**
     * Returns the blocks of mined rows that are still on the chain: no receipts of their rows are requested until they are final. Makes one query
     * per block, however many of our transactions it contains.
     */
    private static Set<Hash256> stillOnChain(AccountChain chain, Place place, List<AccountSend> rows) {
        long last = place.last().map(AccountBlock::number).orElse(-1L);
        List<CompletionStage<Optional<Hash256>>> hashes = rows.stream()
                .flatMap(row -> row.progress().outcome().stream())
                .map(Outcome::blockNumber)
                .filter(number -> number > last)
                .distinct()
                .sorted()
                .limit(MOST_BLOCKS)
                .map(number -> chain.agreed(
                        reads -> reads.block(BlockRef.number(number)).map(AccountBlock::hash)))
                .toList();
        return hashes.stream()
                .flatMap(hash -> answer(hash).flatMap(found -> found).stream())
                .collect(Collectors.toSet());
    }

    /** Returns the answer; empty if the quorum does not agree. */
    private static <T> Optional<T> answer(CompletionStage<T> question) {
        try {
            return Optional.of(await(question));
        } catch (AccountException e) {
            return Optional.empty();
        }
    }

    private static boolean isOnChain(AccountSend row, Set<Hash256> onChain) {
        return row.progress()
                .outcome()
                .filter(outcome -> onChain.contains(outcome.blockHash()))
                .isPresent();
    }

    private static Findings look(
            AccountChain chain, Place place, List<AccountSend> rows, long first, Set<Hash256> onChain) {
        Map<Long, Finding> findings = new HashMap<>();
        for (AccountSend row : rows) {
            if (row.nonce() >= place.count() && row.state() != AccountSend.State.MINED) {
                findings.put(row.id(), new Finding.Waiting());
            }
        }
        List<AccountSend> unknown = rows.stream()
                .filter(row -> !findings.containsKey(row.id()) && !isOnChain(row, onChain))
                .sorted(Comparator.comparing((AccountSend row) -> row.id() < first)
                        .thenComparingLong(AccountSend::id))
                .toList();
        Map<AccountSend, List<CompletionStage<Optional<Outcome>>>> asked = outcomes(chain, unknown);
        asked.forEach((row, outcomes) -> outcome(outcomes)
                .flatMap(found -> finding(place, row, found))
                .ifPresent(finding -> findings.put(row.id(), finding)));
        long next = asked.size() < unknown.size() ? unknown.get(asked.size()).id() : AccountSend.NEW;
        return new Findings(place.head(), findings, next);
    }

    /** Starts the queries for all versions concurrently, so that they take no longer than one. */
    private static Map<AccountSend, List<CompletionStage<Optional<Outcome>>>> outcomes(
            AccountChain chain, List<AccountSend> rows) {
        Map<AccountSend, List<CompletionStage<Optional<Outcome>>>> outcomes = new LinkedHashMap<>();
        int asked = 0;
        for (AccountSend row : rows) {
            asked += row.versions().size();
            if (asked > MOST && !outcomes.isEmpty()) {
                break;
            }
            outcomes.put(
                    row,
                    row.versions().stream()
                            .map(version -> chain.agreed(reads -> outcome(reads, version.hash())))
                            .toList());
        }
        return outcomes;
    }

    /**
     * Returns the outcome of the version that is in a block; an inner empty value if the quorum agrees that none is, an outer one if this is
     * unknown.
     */
    private static Optional<Optional<Outcome>> outcome(List<CompletionStage<Optional<Outcome>>> versions) {
        List<Optional<Optional<Outcome>>> told =
                versions.stream().map(SendLook::answer).toList();
        Optional<Outcome> mined = told.stream()
                .flatMap(Optional::stream)
                .flatMap(Optional::stream)
                .findFirst();
        return mined.isPresent() || told.stream().allMatch(Optional::isPresent) ? Optional.of(mined) : Optional.empty();
    }

    private static Optional<Finding> finding(Place place, AccountSend row, Optional<Outcome> outcome) {
        if (outcome.isPresent()) {
            boolean isFinal = place.last()
                    .filter(last -> outcome.get().blockNumber() <= last.number())
                    .isPresent();
            return Optional.of(new Finding.InBlock(outcome.get(), isFinal));
        }
        if (row.nonce() < place.countAtLast()) {
            return Optional.of(new Finding.NonceUsed());
        }
        return row.nonce() >= place.count() ? Optional.of(new Finding.Waiting()) : Optional.empty();
    }

    /** Reads the outcome of a version from one endpoint's receipt. */
    private static Optional<Outcome> outcome(AccountReads reads, Hash256 version) {
        return reads.receipt(version)
                .map(found -> new Outcome(version, found.blockNumber(), found.blockHash(), found.succeeded()));
    }
}
