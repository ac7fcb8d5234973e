package org.chainwalletd.indexer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.AnswerJson;
import org.chainwalletd.node.ResultReader;

/**
 * Reads what indexers answer. Fields of 32 bytes come as hex or as arrays of numbers, by method and version; both are read everywhere
 * (indexer.md, quirk 1). What was not asked for is a bad answer.
 */
final class IndexerAnswers {
    /** The longest page that an indexer gives. */
    private static final int MOST_ROWS = 1_000;

    private IndexerAnswers() {}

    static IndexerStatus status(AnswerJson in) throws IOException {
        in.beginObject();
        Long indexed = null;
        Long tip = null;
        Long lag = null;
        Boolean complete = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "last_indexed_height" -> indexed = in.u64(indexed);
                case "tip_height" -> tip = in.u64(tip);
                case "lag" -> lag = in.i64(lag);
                case "full_scan_complete" -> complete = in.flag(complete);
                default -> in.skip();
            }
        }
        return new IndexerStatus(
                in.required(indexed, "last_indexed_height"),
                in.required(tip, "tip_height"),
                in.required(lag, "lag"),
                in.required(complete, "full_scan_complete"));
    }

    static Page<Settlement> settlements(AnswerJson in) throws IOException {
        return page(in, "settlements", IndexerAnswers::settlement);
    }

    private static Settlement settlement(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 txId = null;
        Long height = null;
        Hash256 contract = null;
        String outcome = null;
        Hash256 observer = null;
        Hash256 counterparty = null;
        Amount amount = null;
        Hash256 lockTxId = null;
        Long lockIndex = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "tx_id" -> txId = in.bytes32(txId);
                case "block_height" -> height = in.u64(height);
                case "contract_hash" -> contract = in.bytes32(contract);
                case "outcome" -> outcome = in.text(outcome);
                case "observer_address" -> observer = in.bytes32(observer);
                case "counterparty" -> counterparty = in.bytes32(counterparty);
                case "amount" -> amount = in.amount(amount);
                case "lock_tx_id" -> lockTxId = in.bytes32(lockTxId);
                case "lock_output_index" -> lockIndex = in.u32(lockIndex);
                default -> in.skip();
            }
        }
        return new Settlement(
                in.required(txId, "tx_id"),
                in.required(height, "block_height"),
                in.required(contract, "contract_hash"),
                word(in, Settlement.Outcome.class, in.required(outcome, "outcome")),
                address(in.required(observer, "observer_address")),
                address(in.required(counterparty, "counterparty")),
                in.required(amount, "amount"),
                in.required(lockTxId, "lock_tx_id"),
                in.required(lockIndex, "lock_output_index"));
    }

    static Page<Activity> history(AnswerJson in) throws IOException {
        return page(in, "history", IndexerAnswers::activity);
    }

    private static Activity activity(AnswerJson in) throws IOException {
        in.beginObject();
        Long height = null;
        Hash256 txId = null;
        Amount amount = null;
        String direction = null;
        Boolean coinbase = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "block_height" -> height = in.u64(height);
                case "tx_id" -> txId = in.bytes32(txId);
                case "amount" -> amount = in.amount(amount);
                case "direction" -> direction = in.text(direction);
                case "is_coinbase" -> coinbase = in.flag(coinbase);
                default -> in.skip();
            }
        }
        return new Activity(
                in.required(height, "block_height"),
                in.required(txId, "tx_id"),
                in.required(amount, "amount"),
                word(in, Activity.Direction.class, in.required(direction, "direction")),
                in.required(coinbase, "is_coinbase"));
    }

    static List<ContractStats> stats(AnswerJson in) throws IOException {
        return list(in, "stats", IndexerAnswers::oneStats);
    }

    private static ContractStats oneStats(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 contract = null;
        Long total = null;
        Long succeeded = null;
        Long refunded = null;
        Long average = null;
        Long last = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "contract_hash" -> contract = in.bytes32(contract);
                case "total" -> total = in.u64(total);
                case "succeeded" -> succeeded = in.u64(succeeded);
                case "refunded" -> refunded = in.u64(refunded);
                case "avg_settle_blocks" -> average = in.isNull() ? null : in.u64(average);
                case "last_settled_at_height" -> last = in.isNull() ? null : in.u64(last);
                default -> in.skip();
            }
        }
        return new ContractStats(
                in.required(contract, "contract_hash"),
                in.required(total, "total"),
                in.required(succeeded, "succeeded"),
                in.required(refunded, "refunded"),
                average,
                last);
    }

    static List<AttestationEdge> edges(AnswerJson in) throws IOException {
        return list(in, "edges", IndexerAnswers::edge);
    }

    private static AttestationEdge edge(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 counterparty = null;
        Hash256 contract = null;
        String contractName = null;
        Long total = null;
        Long succeeded = null;
        Long refunded = null;
        Long seen = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "counterparty" -> counterparty = in.bytes32(counterparty);
                case "contract_hash" -> contract = in.bytes32(contract);
                case "contract_name" -> contractName = in.isNull() ? null : in.text(contractName);
                case "total" -> total = in.u64(total);
                case "succeeded" -> succeeded = in.u64(succeeded);
                case "refunded" -> refunded = in.u64(refunded);
                case "last_seen_height" -> seen = in.isNull() ? null : in.u64(seen);
                default -> in.skip();
            }
        }
        return new AttestationEdge(
                address(in.required(counterparty, "counterparty")),
                in.required(contract, "contract_hash"),
                contractName,
                in.required(total, "total"),
                in.required(succeeded, "succeeded"),
                in.required(refunded, "refunded"),
                seen);
    }

    static List<InChainSwap> swaps(AnswerJson in) throws IOException {
        return list(in, "swaps", IndexerAnswers::swap);
    }

    private static InChainSwap swap(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 hashLock = null;
        List<IndexedHtlc> htlcs = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "hash_lock" -> hashLock = in.bytes32(hashLock);
                case "htlcs" -> htlcs = elements(in, htlcs, HtlcAnswers::htlc);
                default -> in.skip();
            }
        }
        return new InChainSwap(in.required(hashLock, "hash_lock"), in.required(htlcs, "htlcs"));
    }

    static ResultReader<IndexedHtlc> htlc(Outpoint asked) {
        return in -> {
            IndexedHtlc found = HtlcAnswers.htlc(in);
            if (!found.outpoint().equals(asked)) {
                throw in.bad("is of another outpoint than asked for");
            }
            return found;
        };
    }

    static Page<IndexedHtlc> htlcs(AnswerJson in) throws IOException {
        return page(in, "htlcs", HtlcAnswers::htlc);
    }

    static ResultReader<List<IndexedHtlc>> htlcsOf(Hash256 asked) {
        return in -> {
            List<IndexedHtlc> found = list(in, "htlcs", HtlcAnswers::htlc);
            if (!found.stream().allMatch(htlc -> htlc.params().hashLock().equals(asked))) {
                throw in.bad("holds another hash lock than asked for");
            }
            return found;
        };
    }

    static OutputSpend spentBy(AnswerJson in) throws IOException {
        in.beginObject();
        Boolean spent = null;
        String source = null;
        Hash256 txId = null;
        Long inputIndex = null;
        Long height = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "spent" -> spent = in.flag(spent);
                case "source" -> source = in.text(source);
                case "spending_tx_id" -> txId = in.isNull() ? null : in.bytes32(txId);
                case "input_index" -> inputIndex = in.isNull() ? null : in.u32(inputIndex);
                case "block_height" -> height = in.isNull() ? null : in.u64(height);
                default -> in.skip();
            }
        }
        OutputSpend.Source from = word(in, OutputSpend.Source.class, in.required(source, "source"));
        return in.required(spent, "spent")
                ? new OutputSpend(
                        from,
                        new OutputSpend.Spend(
                                in.required(txId, "spending_tx_id"),
                                in.required(inputIndex, "input_index"),
                                in.required(height, "block_height")))
                : new OutputSpend(from, null);
    }

    static OutputDatum datum(AnswerJson in) throws IOException {
        in.beginObject();
        Bytes quoteId = null;
        Boolean unhonorable = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "quote_id" -> quoteId = in.isNull() ? null : in.bytes(quoteId);
                case "unhonorable" -> unhonorable = in.flag(unhonorable);
                default -> in.skip();
            }
        }
        if (quoteId != null && quoteId.length() != OutputDatum.QUOTE_ID_BYTES) {
            throw in.bad("has a `quote_id` that is not " + OutputDatum.QUOTE_ID_BYTES + " bytes long");
        }
        return new OutputDatum(quoteId, in.required(unhonorable, "unhonorable"));
    }

    static List<Outpoint> quoteSettlements(AnswerJson in) throws IOException {
        return list(in, "settlements", IndexerAnswers::outpoint);
    }

    private static Outpoint outpoint(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 txId = null;
        Long index = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "tx_id" -> txId = in.bytes32(txId);
                case "output_index" -> index = in.u32(index);
                default -> in.skip();
            }
        }
        return new Outpoint(in.required(txId, "tx_id"), in.required(index, "output_index"));
    }

    private static <T> List<T> list(AnswerJson in, String member, ResultReader<T> row) throws IOException {
        return page(in, member, row).items();
    }

    private static <T> Page<T> page(AnswerJson in, String member, ResultReader<T> row) throws IOException {
        in.beginObject();
        List<T> rows = null;
        String next = null;
        for (String name; (name = in.nextMember()) != null; ) {
            if (name.equals(member)) {
                rows = elements(in, rows, row);
            } else if (name.equals("next_cursor")) {
                next = in.isNull() ? null : in.text(next);
            } else {
                in.skip();
            }
        }
        return new Page<>(in.required(rows, member), next);
    }

    private static <T> List<T> elements(AnswerJson in, List<T> earlier, ResultReader<T> reader) throws IOException {
        in.beginArray(earlier);
        List<T> elements = new ArrayList<>();
        while (in.nextElement()) {
            if (elements.size() == MOST_ROWS) {
                throw in.bad("has more than " + MOST_ROWS + " rows");
            }
            elements.add(reader.read(in));
        }
        return List.copyOf(elements);
    }

    /** The constant whose lower-case name, with dashes or underscores, is {@code text}. */
    static <E extends Enum<E>> E word(AnswerJson in, Class<E> type, String text) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().toLowerCase(Locale.ROOT).equals(text.replace('-', '_'))) {
                return constant;
            }
        }
        throw in.bad("holds a word that is not known");
    }

    private static Address address(Hash256 bytes) {
        return Address.of(bytes.toArray());
    }
}
