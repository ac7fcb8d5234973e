package org.chainwalletd.spend;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.PackedSpend;

/** By what a confirmed spend is found in a {@link CompactTable}. */
final class SpendKeys {
    static final CompactTable.Keys<Hash256, PackedSpend> BY_ID = new CompactTable.Keys<>() {
        @Override
        public int count(PackedSpend spend) {
            return 1;
        }

        @Override
        public long hash(PackedSpend spend, int number) {
            return spend.fingerprint();
        }

        @Override
        public long hashOf(Hash256 txId) {
            return PackedSpend.fingerprint(txId);
        }

        @Override
        public boolean has(PackedSpend spend, Hash256 txId) {
            return spend.hasId(txId);
        }
    };

    static final CompactTable.Keys<Outpoint, PackedSpend> BY_INPUT = new CompactTable.Keys<>() {
        @Override
        public int count(PackedSpend spend) {
            return spend.size();
        }

        @Override
        public long hash(PackedSpend spend, int number) {
            return spend.inputFingerprint(number);
        }

        @Override
        public long hashOf(Outpoint outpoint) {
            return PackedSpend.fingerprint(outpoint);
        }

        @Override
        public boolean has(PackedSpend spend, Outpoint outpoint) {
            return spend.spends(outpoint);
        }
    };

    private SpendKeys() {}
}
