package org.chainwalletd.indexer;

import java.io.IOException;
import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.node.AnswerJson;
import org.chainwalletd.node.RecordReader;
import org.chainwalletd.node.ResultReader;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.U32;

/** Reads the answers of indexers. An answer about something else than what was asked for is a bad one. */
final class IndexerAnswers {
    static final ResultReader<IndexerStatus> STATUS = RecordReader.ofIndexer(IndexerStatus.class);

    private static final RecordReader<Settlement> SETTLEMENT = RecordReader.ofIndexer(Settlement.class);
    private static final RecordReader<Activity> ACTIVITY = RecordReader.ofIndexer(Activity.class);
    private static final RecordReader<ContractStats> STATS = RecordReader.ofIndexer(ContractStats.class);
    private static final RecordReader<AttestationEdge> EDGE = RecordReader.ofIndexer(AttestationEdge.class);
    private static final RecordReader<HtlcRow> HTLC = RecordReader.ofIndexer(HtlcRow.class);
    private static final RecordReader<SwapRow> SWAP = RecordReader.ofIndexer(SwapRow.class);
    private static final RecordReader<SpentByRow> SPENT_BY = RecordReader.ofIndexer(SpentByRow.class);
    private static final RecordReader<DatumRow> DATUM = RecordReader.ofIndexer(DatumRow.class);
    private static final RecordReader<OutpointRow> OUTPOINT = RecordReader.ofIndexer(OutpointRow.class);

    private IndexerAnswers() {}

    /** An HTLC record (interface.md, section 2.8). Its role is not read: it is always that of an observer. */
    private record HtlcRow(
            Hash256 lockTxId,
            @U32 long outputIndex,
            Terms params,
            Amount amount,
            @MaybeAbsent Long lockBlockHeight,
            IndexedHtlc.State state,
            @MaybeAbsent IndexedHtlc.Claim claim,
            @MaybeAbsent IndexedHtlc.Reclaim reclaim,
            long lastIndexedHeight) {
        record Terms(PublicKey sender, PublicKey receiver, Hash256 hashLock, long timeoutHeight) {}

        IndexedHtlc htlc() {
            return new IndexedHtlc(
                    new Outpoint(lockTxId, outputIndex),
                    new HtlcParams(params.sender, params.receiver, params.hashLock, params.timeoutHeight),
                    amount,
                    lockBlockHeight,
                    state,
                    claim,
                    reclaim,
                    lastIndexedHeight);
        }

        static List<IndexedHtlc> all(List<HtlcRow> rows) {
            return rows.stream().map(HtlcRow::htlc).toList();
        }
    }

    private record SwapRow(Hash256 hashLock, List<HtlcRow> htlcs) {}

    private record SpentByRow(
            boolean spent,
            OutputSpend.Source source,
            @MaybeAbsent Hash256 spendingTxId,
            @MaybeAbsent @U32 Long inputIndex,
            @MaybeAbsent Long blockHeight) {}

    private record DatumRow(@MaybeAbsent Bytes quoteId, boolean unhonorable) {}

    private record OutpointRow(Hash256 txId, @U32 long outputIndex) {}

    static Page<Settlement> settlements(AnswerJson in) throws IOException {
        return page(in, "settlements", SETTLEMENT);
    }

    static Page<Activity> history(AnswerJson in) throws IOException {
        return page(in, "history", ACTIVITY);
    }

    static List<ContractStats> stats(AnswerJson in) throws IOException {
        return page(in, "stats", STATS).items();
    }

    static List<AttestationEdge> edges(AnswerJson in) throws IOException {
        return page(in, "edges", EDGE).items();
    }

    static List<InChainSwap> swaps(AnswerJson in) throws IOException {
        return page(in, "swaps", SWAP).items().stream()
                .map(swap -> new InChainSwap(swap.hashLock(), HtlcRow.all(swap.htlcs())))
                .toList();
    }

    static ResultReader<IndexedHtlc> htlc(Outpoint asked) {
        return in -> {
            IndexedHtlc found = HTLC.read(in).htlc();
            if (!found.outpoint().equals(asked)) {
                throw in.bad("is of another outpoint than asked for");
            }
            return found;
        };
    }

    static Page<IndexedHtlc> htlcs(AnswerJson in) throws IOException {
        Page<HtlcRow> rows = page(in, "htlcs", HTLC);
        return new Page<>(HtlcRow.all(rows.items()), rows.next());
    }

    static ResultReader<List<IndexedHtlc>> htlcsOf(Hash256 asked) {
        return in -> {
            List<IndexedHtlc> found = htlcs(in).items();
            if (!found.stream().allMatch(htlc -> htlc.params().hashLock().equals(asked))) {
                throw in.bad("holds another hash lock than asked for");
            }
            return found;
        };
    }

    static OutputSpend spentBy(AnswerJson in) throws IOException {
        SpentByRow row = SPENT_BY.read(in);
        return new OutputSpend(
                row.source(),
                row.spent()
                        ? new OutputSpend.Spend(
                                in.required(row.spendingTxId(), "spending_tx_id"),
                                in.required(row.inputIndex(), "input_index"),
                                in.required(row.blockHeight(), "block_height"))
                        : null);
    }

    static OutputDatum datum(AnswerJson in) throws IOException {
        DatumRow row = DATUM.read(in);
        if (row.quoteId() != null && row.quoteId().length() != OutputDatum.QUOTE_ID_BYTES) {
            throw in.bad("has a `quote_id` that is not " + OutputDatum.QUOTE_ID_BYTES + " bytes long");
        }
        return new OutputDatum(row.quoteId(), row.unhonorable());
    }

    static List<Outpoint> quoteSettlements(AnswerJson in) throws IOException {
        return page(in, "settlements", OUTPOINT).items().stream()
                .map(row -> new Outpoint(row.txId(), row.outputIndex()))
                .toList();
    }

    private static <T extends Record> Page<T> page(AnswerJson in, String member, RecordReader<T> row)
            throws IOException {
        in.beginObject();
        List<T> rows = null;
        String next = null;
        for (String name; (name = in.nextMember()) != null; ) {
            if (name.equals(member)) {
                rows = row.readList(in, rows);
            } else if (name.equals("next_cursor")) {
                next = in.isNull() ? null : in.text(next);
            } else {
                in.skip();
            }
        }
        return new Page<>(in.required(rows, member), next);
    }
}
