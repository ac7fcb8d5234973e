package org.chainwalletd.rpc.method;

import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.store.KeyEntry;

/** Keeps a key that an open HTLC needs: its receiver's to claim, its sender's to take it back. */
public final class OpenHtlcsGuard implements DeletionGuard {
    private final HtlcRecords records;
    private final Executor executor;

    public OpenHtlcsGuard(HtlcRecords records, Executor executor) {
        this.records = records;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        HtlcRecords.Query open = new HtlcRecords.Query(
                EnumSet.of(HtlcRecord.Role.SENDER, HtlcRecord.Role.RECEIVER, HtlcRecord.Role.BOTH),
                EnumSet.of(HtlcRecord.State.LOCKED, HtlcRecord.State.LOCKED_EXPIRED),
                OptionalLong.empty(),
                Optional.of(entry.address()),
                Optional.empty(),
                1);
        return records.list(open)
                .thenApplyAsync(
                        page -> page.records().stream()
                                .findFirst()
                                .map(found -> "the open HTLC " + found.lock() + " needs it"),
                        executor);
    }
}
