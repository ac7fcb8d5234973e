package org.chainwalletd.store.sql;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.StoreSample;

/** Process that replaces settled payments by receipts, a few per commit, and prints the tokens of each commit that was made. */
final class KeepingProcess {
    static final int BITE = 5;

    private KeepingProcess() {}

    /** Returns the answer kept for the token of this payment. */
    static Bytes answerOf(Intent payment) {
        return Bytes.parse("01" + payment.txId().hex());
    }

    public static void main(String[] args) {
        try (SqliteStore store = SqliteStore.open(Path.of(args[0]))) {
            System.out.println("ready");
            for (List<Intent> bite = bite(store); !bite.isEmpty(); bite = bite(store)) {
                Map<Hash256, Bytes> answers = new LinkedHashMap<>();
                bite.forEach(payment -> answers.put(payment.txId(), answerOf(payment)));
                StoreSample.done(store.receipts().keep(answers));
                bite.forEach(payment ->
                        System.out.println(payment.token().orElseThrow().token()));
            }
        }
    }

    private static List<Intent> bite(SqliteStore store) {
        return StoreSample.done(store.receipts().settled(Long.MAX_VALUE, BITE));
    }
}
