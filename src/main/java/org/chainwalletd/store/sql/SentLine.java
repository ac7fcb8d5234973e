package org.chainwalletd.store.sql;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.KeyringRow;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.WatchStore;

/**
 * Line of {@code sent.log}: one change of the store, with everything needed to repeat it in a store that has lost it. A line is encoded as a byte for
 * its kind, followed by its members in order: numbers big-endian, amounts as 64 bits, hashes as 32 bytes, other bytes prefixed with their length as
 * u32, text as written by {@link DataOutputStream#writeUTF}, and a byte 0 or 1 before each optional member.
 */
public sealed interface SentLine {
    /**
     * Spend that was opened, or, in the base of the log, a spend with the values of its row.
     *
     * @param number of its row; {@link #NO_NUMBER} in a line of an older release
     * @param held inputs that it holds, see {@link SpendRow.Held}
     */
    record Spend(long number, Intent intent, byte[] held, OptionalLong countedAt) implements SentLine {
        static final long NO_NUMBER = 0;

        Spend(Intent intent, byte[] held, OptionalLong countedAt) {
            this(NO_NUMBER, intent, held, countedAt);
        }

        /** Kinds whose transactions contain the secret of their hash lock: the log contains everything but their bytes, unless these are sealed. */
        private static final Set<String> SECRETIVE = Set.of("htlc_claim");

        /** Returns whether the log lacks the transaction bytes. */
        boolean isWithheld() {
            return intent.transaction().length() == 0;
        }
    }

    /** Acceptance of the spend by a node. */
    record Accepted(Hash256 txId) implements SentLine {}

    /** State change of the spend caused by node answers or by the operator. */
    record State(Hash256 txId, IntentState state, String reason, long at) implements SentLine {}

    /** Inputs held by the spend ({@link SpendRow.Held}); its other inputs are free. */
    record Held(Hash256 txId, byte[] held) implements SentLine {}

    /** Row of a closed spend kept only for reporting, see {@link KeptSpends}. */
    record Kept(Object[] row) implements SentLine {}

    /** In the base of the log: the transactions that the tokens of erased spends were bound to. */
    record Erased(List<Item> items) implements SentLine {
        /**
         * Erased spend.
         *
         * @param number that its row had
         * @param key the first 8 bytes of the SHA-256 of its token
         * @param rest the next 8 bytes
         */
        record Item(long number, Hash256 txId, long key, long rest) {}
    }

    /**
     * In the base of the log: amounts spent in these minutes, both by spends that the base contains and by spends of which it contains only the
     * outcome.
     *
     * @param tokenName the named token that spent the amounts; empty for all payments together
     */
    record Uses(Optional<String> tokenName, List<AllowanceStore.Minute> minutes) implements SentLine {}

    /** New memo of a spend. */
    record Memo(Hash256 txId, Optional<String> memo) implements SentLine {
        /** Omits the memo, which must not be written to the daemon's log. */
        @Override
        public String toString() {
            return "Memo[txId=" + txId + "]";
        }
    }

    /** New transaction of the account chain; its secrets are sealed as in the store. */
    record Account(AccountSend send) implements SentLine {}

    /**
     * Further version of a transaction of the account chain, logged before it is sent.
     *
     * @param before number of versions that it had before
     */
    record AccountVersion(String reference, int before, AccountSend.Version version) implements SentLine {}

    /** New state of a transaction of the account chain. */
    record AccountState(String reference, AccountSend.State state, Optional<AccountSend.Outcome> outcome, long at)
            implements SentLine {}

    /**
     * Payouts that were submitted together; in the base of the log, payouts that no batch carries.
     *
     * @param from addresses that may pay them
     */
    record Submitted(List<Address> from, Optional<String> owner, List<Item> payouts) implements SentLine {
        record Item(PayoutStore.Order order, long submittedAt) {}

        /** Omits the memos, which must not be written to the daemon's log. */
        @Override
        public String toString() {
            return "Submitted[payouts=" + payouts.size() + "]";
        }
    }

    /**
     * Payouts carried by a batch; each is paid by the output at its index.
     *
     * @param txId of the batch, whose own line precedes this one
     */
    record Carried(Hash256 txId, List<Item> payouts) implements SentLine {
        /**
         * Payout of the batch.
         *
         * @param digest see {@link PayoutTable#digest}
         * @param index of its output in the batch
         */
        record Item(String payoutId, Hash256 digest, int index, Optional<String> owner, long submittedAt) {}
    }

    /** Payout that was cancelled and is never paid. */
    record Cancelled(
            String payoutId,
            Address to,
            Amount amount,
            Optional<Bytes> datum,
            Optional<String> owner,
            long submittedAt,
            List<Address> from)
            implements SentLine {}

    /**
     * Sweep that began, with all its parts; in the base of the log, a sweep with the values of its rows.
     *
     * @param endings by the part's number, the reason why no spend will ever be opened for it
     */
    record Sweep(
            Hash256 id,
            SweepStore.Order order,
            List<SweepStore.Part> parts,
            Map<Integer, SweepStore.Ending> endings,
            long createdAt)
            implements SentLine {
        private static final int COIN_BYTES = 2 * Hash256.LENGTH + Integer.BYTES + Long.BYTES;

        static byte[] packCoins(List<SweepStore.OwnedCoin> coins) {
            ByteBuffer packed = ByteBuffer.allocate(coins.size() * COIN_BYTES);
            for (SweepStore.OwnedCoin each : coins) {
                packed.put(each.owner().toArray())
                        .put(each.coin().outpoint().txId().toArray())
                        .putInt((int) each.coin().outpoint().index())
                        .putLong(each.coin().value().bits());
            }
            return packed.array();
        }

        static List<SweepStore.OwnedCoin> unpackCoins(byte[] packed) {
            ByteBuffer in = ByteBuffer.wrap(packed);
            List<SweepStore.OwnedCoin> coins = new ArrayList<>(packed.length / COIN_BYTES);
            while (in.hasRemaining()) {
                Address owner = Address.of(take(in));
                Outpoint outpoint = new Outpoint(Hash256.of(take(in)), Integer.toUnsignedLong(in.getInt()));
                coins.add(new SweepStore.OwnedCoin(owner, new Coin(outpoint, Amount.ofUnsigned(in.getLong()))));
            }
            return coins;
        }

        static byte[] packAddresses(List<Address> addresses) {
            ByteBuffer packed = ByteBuffer.allocate(addresses.size() * Hash256.LENGTH);
            addresses.forEach(address -> packed.put(address.toArray()));
            return packed.array();
        }

        private static byte[] take(ByteBuffer in) {
            byte[] bytes = new byte[Hash256.LENGTH];
            in.get(bytes);
            return bytes;
        }
    }

    /** End of a part of a sweep, for which no spend will ever be opened. */
    record SweepPartEnded(Hash256 id, int part, SweepStore.Ending ending) implements SentLine {}

    /** Sealed secret of the keyring. */
    record Sealed(KeyringRow.Place place, Bytes blob) implements SentLine {}

    /** Key that was added to the keyring or changed. */
    record KeyListed(KeyringRow.Key key) implements SentLine {}

    /** Values that concern the whole keyring. */
    record KeyringHead(KeyringRow.Head head) implements SentLine {}

    /** Watch-only address that was added or changed. */
    record Watched(WatchStore.WatchOnly row) implements SentLine {}

    /** Address that is no longer watched. */
    record Unwatched(Address address) implements SentLine {}

    /**
     * Name of the log of a daemon that writes the store, possibly of this one, without which a restored store may lack payments. Written again in
     * the next commit that is made after commits of that daemon.
     *
     * @param counter number, within that log, of its newest commit then known; 0 if none is known. A copy of the log that ends more than one
     *     commit earlier is outdated
     */
    record Peer(String log, long counter) implements SentLine {}

    /**
     * Returns whether the line frees coins, or permits other bytes for the same token. Such a line must be on disk before the store records the
     * change.
     */
    default boolean isForcedFirst() {
        return this instanceof Held
                || this instanceof Cancelled
                || this instanceof SweepPartEnded
                || this instanceof State state && !state.state().inFlight();
    }

    static byte[] encode(SentLine line) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try {
            write(line, new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(SentLine line, DataOutputStream out) throws IOException {
        if (line instanceof Spend spend) {
            out.writeByte(9);
            write(spend, out);
            out.writeLong(spend.number());
            write(spend.intent().details(), out);
        } else if (line instanceof Accepted accepted) {
            out.writeByte(2);
            out.write(accepted.txId().toArray());
        } else if (line instanceof State state) {
            out.writeByte(3);
            out.write(state.txId().toArray());
            out.writeUTF(state.state().name());
            writeBytes(out, state.reason().getBytes(StandardCharsets.UTF_8));
            out.writeLong(state.at());
        } else if (line instanceof Held held) {
            out.writeByte(4);
            out.write(held.txId().toArray());
            writeHeld(out, held.held());
        } else if (line instanceof Kept kept) {
            out.writeByte(10);
            writeRow(kept.row(), out);
        } else if (line instanceof Erased erased) {
            out.writeByte(21);
            out.writeInt(erased.items().size());
            for (Erased.Item item : erased.items()) {
                out.writeLong(item.number());
                out.write(item.txId().toArray());
                out.writeLong(item.key());
                out.writeLong(item.rest());
            }
        } else if (line instanceof Uses uses) {
            out.writeByte(22);
            writeText(out, uses.tokenName());
            out.writeInt(uses.minutes().size());
            for (AllowanceStore.Minute minute : uses.minutes()) {
                out.writeLong(minute.start());
                writeBytes(out, minute.amount().toByteArray());
            }
        } else if (line instanceof Watched watched) {
            out.writeByte(23);
            out.write(watched.row().address().toArray());
            writeText(out, watched.row().label());
            writeNumber(out, watched.row().birth());
        } else if (line instanceof Unwatched unwatched) {
            out.writeByte(24);
            out.write(unwatched.address().toArray());
        } else if (line instanceof Memo memo) {
            out.writeByte(11);
            out.write(memo.txId().toArray());
            writeText(out, memo.memo());
        } else if (line instanceof Account account) {
            out.writeByte(6);
            write(account.send(), out);
        } else if (line instanceof AccountVersion version) {
            out.writeByte(7);
            out.writeUTF(version.reference());
            out.writeInt(version.before());
            write(version.version(), out);
        } else if (line instanceof AccountState state) {
            out.writeByte(8);
            out.writeUTF(state.reference());
            out.writeUTF(state.state().name());
            write(state.outcome(), out);
            out.writeLong(state.at());
        } else if (line instanceof Submitted submitted) {
            out.writeByte(25);
            writeBytes(out, Sweep.packAddresses(submitted.from()));
            writeText(out, submitted.owner());
            out.writeInt(submitted.payouts().size());
            for (Submitted.Item item : submitted.payouts()) {
                write(item, out);
            }
        } else if (line instanceof Carried carried) {
            out.writeByte(12);
            out.write(carried.txId().toArray());
            out.writeInt(carried.payouts().size());
            for (Carried.Item item : carried.payouts()) {
                out.writeUTF(item.payoutId());
                out.write(item.digest().toArray());
                out.writeInt(item.index());
                writeText(out, item.owner());
                out.writeLong(item.submittedAt());
            }
        } else if (line instanceof Cancelled cancelled) {
            out.writeByte(13);
            out.writeUTF(cancelled.payoutId());
            out.write(cancelled.to().toArray());
            out.writeLong(cancelled.amount().bits());
            out.writeBoolean(cancelled.datum().isPresent());
            writeBytes(out, cancelled.datum().map(Bytes::toArray).orElse(new byte[0]));
            writeText(out, cancelled.owner());
            out.writeLong(cancelled.submittedAt());
            out.writeInt(cancelled.from().size());
            for (Address address : cancelled.from()) {
                out.write(address.toArray());
            }
        } else if (line instanceof Sweep sweep) {
            out.writeByte(14);
            write(sweep, out);
        } else if (line instanceof SweepPartEnded ended) {
            out.writeByte(ended.ending() == SweepStore.Ending.LOST ? 15 : 17);
            out.write(ended.id().toArray());
            out.writeInt(ended.part());
        } else if (line instanceof Peer peer) {
            out.writeByte(26);
            out.writeUTF(peer.log());
            out.writeLong(peer.counter());
        } else if (line instanceof Sealed sealed) {
            out.writeByte(18);
            out.writeUTF(sealed.place().kind());
            writeBytes(out, sealed.place().owner().toArray());
            writeBytes(out, sealed.blob().toArray());
        } else if (line instanceof KeyListed listed) {
            out.writeByte(19);
            write(listed.key(), out);
        } else if (line instanceof KeyringHead keyring) {
            out.writeByte(20);
            out.writeLong(keyring.head().nextIndex());
            out.writeInt(keyring.head().members().size());
            for (Map.Entry<String, Bytes> member : keyring.head().members().entrySet()) {
                out.writeUTF(member.getKey());
                writeBytes(out, member.getValue().toArray());
            }
        }
    }

    private static void write(KeyringRow.Key key, DataOutputStream out) throws IOException {
        out.write(key.address().toArray());
        writeBytes(out, key.publicKey().map(PublicKey::toArray).orElse(new byte[0]));
        writeNumber(out, key.index());
        writeText(out, key.label());
        out.writeBoolean(key.imported());
        out.writeByte(key.origin());
        writeNumber(out, key.birth());
    }

    private static KeyringRow.Key readKey(DataInputStream in) throws IOException {
        Address address = Address.of(fixed(in, Hash256.LENGTH));
        byte[] publicKey = bytes(in);
        return new KeyringRow.Key(
                address,
                publicKey.length == 0 ? Optional.empty() : Optional.of(PublicKey.of(publicKey)),
                ifNumber(in),
                ifText(in),
                in.readBoolean(),
                in.readByte(),
                ifNumber(in));
    }

    private static KeyringRow.Head readHead(DataInputStream in) throws IOException {
        long nextIndex = in.readLong();
        Map<String, Bytes> members = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            members.put(in.readUTF(), Bytes.wrap(bytes(in)));
        }
        return new KeyringRow.Head(nextIndex, members);
    }

    private static void writeNumber(DataOutputStream out, OptionalLong number) throws IOException {
        out.writeBoolean(number.isPresent());
        out.writeLong(number.orElse(0));
    }

    private static OptionalLong ifNumber(DataInputStream in) throws IOException {
        boolean there = in.readBoolean();
        long number = in.readLong();
        return there ? OptionalLong.of(number) : OptionalLong.empty();
    }

    private static void write(Sweep sweep, DataOutputStream out) throws IOException {
        SweepStore.Order order = sweep.order();
        out.write(sweep.id().toArray());
        out.writeUTF(order.clientToken());
        writeText(out, order.owner());
        out.write(order.digest().toArray());
        writeBytes(out, Sweep.packAddresses(order.from()));
        out.write(order.to().toArray());
        out.writeLong(order.minValue().bits());
        writeText(out, order.memo());
        out.writeLong(sweep.createdAt());
        out.writeInt(sweep.parts().size());
        for (SweepStore.Part part : sweep.parts()) {
            out.writeInt(part.number());
            out.writeLong(part.fee().bits());
            writeBytes(out, Sweep.packCoins(part.coins()));
            out.writeByte(
                    SweepStore.Ending.number(Optional.ofNullable(sweep.endings().get(part.number()))));
        }
    }

    private static Sweep readSweep(DataInputStream in) throws IOException {
        Hash256 id = hash(in);
        SweepStore.Order order = new SweepStore.Order(
                in.readUTF(),
                ifText(in),
                hash(in),
                Row.unpackAddresses(bytes(in)),
                Address.of(fixed(in, Hash256.LENGTH)),
                Amount.ofUnsigned(in.readLong()),
                ifText(in));
        long createdAt = in.readLong();
        List<SweepStore.Part> parts = new ArrayList<>();
        Map<Integer, SweepStore.Ending> endings = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            SweepStore.Part part =
                    new SweepStore.Part(in.readInt(), Amount.ofUnsigned(in.readLong()), Sweep.unpackCoins(bytes(in)));
            parts.add(part);
            SweepStore.Ending.of(in.readByte()).ifPresent(ending -> endings.put(part.number(), ending));
        }
        return new Sweep(id, order, parts, endings, createdAt);
    }

    private static Erased readErased(DataInputStream in) throws IOException {
        List<Erased.Item> items = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            items.add(new Erased.Item(in.readLong(), hash(in), in.readLong(), in.readLong()));
        }
        return new Erased(items);
    }

    private static Uses readUses(DataInputStream in) throws IOException {
        Optional<String> tokenName = ifText(in);
        List<AllowanceStore.Minute> minutes = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            minutes.add(new AllowanceStore.Minute(in.readLong(), new BigInteger(bytes(in))));
        }
        return new Uses(tokenName, minutes);
    }

    private static void write(Submitted.Item item, DataOutputStream out) throws IOException {
        PayoutStore.Order order = item.order();
        out.writeUTF(order.payoutId());
        out.write(order.to().toArray());
        out.writeLong(order.amount().bits());
        out.writeBoolean(order.datum().isPresent());
        writeBytes(out, order.datum().map(Bytes::toArray).orElse(new byte[0]));
        writeText(out, order.memo());
        out.writeLong(item.submittedAt());
    }

    private static Submitted readSubmitted(DataInputStream in) throws IOException {
        List<Address> from = Row.unpackAddresses(bytes(in));
        Optional<String> owner = ifText(in);
        List<Submitted.Item> items = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            String payoutId = in.readUTF();
            Address to = Address.of(fixed(in, Hash256.LENGTH));
            Amount amount = Amount.ofUnsigned(in.readLong());
            boolean hasDatum = in.readBoolean();
            Bytes datum = Bytes.wrap(bytes(in));
            items.add(new Submitted.Item(
                    new PayoutStore.Order(
                            payoutId, to, amount, hasDatum ? Optional.of(datum) : Optional.empty(), ifText(in)),
                    in.readLong()));
        }
        return new Submitted(from, owner, items);
    }

    private static Carried readCarried(DataInputStream in) throws IOException {
        Hash256 txId = hash(in);
        List<Carried.Item> items = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            items.add(new Carried.Item(in.readUTF(), hash(in), in.readInt(), ifText(in), in.readLong()));
        }
        return new Carried(txId, items);
    }

    private static Cancelled readCancelled(DataInputStream in) throws IOException {
        String payoutId = in.readUTF();
        Address to = Address.of(fixed(in, Hash256.LENGTH));
        Amount amount = Amount.ofUnsigned(in.readLong());
        boolean hasDatum = in.readBoolean();
        Bytes datum = Bytes.wrap(bytes(in));
        Optional<String> owner = ifText(in);
        long submittedAt = in.readLong();
        List<Address> from = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            from.add(Address.of(fixed(in, Hash256.LENGTH)));
        }
        return new Cancelled(
                payoutId, to, amount, hasDatum ? Optional.of(datum) : Optional.empty(), owner, submittedAt, from);
    }

    private static void write(Spend spend, DataOutputStream out) throws IOException {
        Intent intent = spend.intent();
        out.write(intent.txId().toArray());
        out.writeUTF(intent.kind());
        out.write(intent.from().toArray());
        writeBytes(
                out,
                Spend.SECRETIVE.contains(intent.kind()) && !intent.isSealed()
                        ? new byte[0]
                        : intent.transaction().toArray());
        writeBytes(out, Coin.encode(intent.inputs()));
        out.writeLong(intent.builtAtHeight());
        out.writeInt(intent.changeIndex().orElse(-1));
        out.writeBoolean(intent.token().isPresent());
        if (intent.token().isPresent()) {
            out.writeUTF(intent.token().get().token());
            out.write(intent.token().get().digest().toArray());
        }
        out.writeLong(intent.allowance().bits());
        out.writeLong(intent.createdAt());
        out.writeUTF(intent.state().name());
        writeBytes(out, intent.reason().getBytes(StandardCharsets.UTF_8));
        out.writeLong(intent.changedAt());
        writeHeld(out, spend.held());
        out.writeBoolean(spend.countedAt().isPresent());
        out.writeLong(spend.countedAt().orElse(0));
    }

    private static void write(Intent.Details details, DataOutputStream out) throws IOException {
        writeText(out, details.tokenName());
        writeText(out, details.memo());
        out.writeBoolean(details.fee().isPresent());
        out.writeLong(details.fee().orElse(Amount.ZERO).bits());
    }

    /** Writes the values of a row: their number as u16, then for each value a byte 0 for null, or 1, 2 or 3 followed by a number, text or bytes. */
    private static void writeRow(Object[] row, DataOutputStream out) throws IOException {
        out.writeShort(row.length);
        for (Object value : row) {
            if (value == null) {
                out.writeByte(0);
            } else if (value instanceof Long number) {
                out.writeByte(1);
                out.writeLong(number);
            } else if (value instanceof String text) {
                out.writeByte(2);
                writeBytes(out, text.getBytes(StandardCharsets.UTF_8));
            } else {
                out.writeByte(3);
                writeBytes(out, (byte[]) value);
            }
        }
    }

    private static void writeText(DataOutputStream out, Optional<String> text) throws IOException {
        out.writeBoolean(text.isPresent());
        writeBytes(out, text.orElse("").getBytes(StandardCharsets.UTF_8));
    }

    private static void write(AccountSend send, DataOutputStream out) throws IOException {
        out.writeUTF(send.reference());
        out.write(send.order().digest().toArray());
        out.writeUTF(send.order().kind());
        out.writeBoolean(send.order().feeCeiling().isPresent());
        writeBytes(out, send.order().feeCeiling().orElse(BigInteger.ZERO).toByteArray());
        out.writeUTF(send.order().pushing());
        out.writeBoolean(send.order().owner().isPresent());
        out.writeUTF(send.order().owner().orElse(""));
        writeBytes(out, send.call().chainId().toByteArray());
        writeBytes(out, send.call().from().toArray());
        writeBytes(out, send.call().to().toArray());
        writeBytes(out, send.call().value().toByteArray());
        writeBytes(out, send.call().data().toArray());
        out.writeLong(send.call().nonce());
        out.writeLong(send.call().gasLimit());
        out.writeInt(send.versions().size());
        for (AccountSend.Version version : send.versions()) {
            write(version, out);
        }
        out.writeUTF(send.state().name());
        write(send.progress().outcome(), out);
        out.writeLong(send.progress().createdAt());
        out.writeLong(send.progress().changedAt());
    }

    private static void write(AccountSend.Version version, DataOutputStream out) throws IOException {
        out.write(version.hash().toArray());
        writeBytes(out, version.raw().toArray());
        writeBytes(out, version.tip().toByteArray());
        writeBytes(out, version.maxFee().toByteArray());
        out.writeBoolean(version.cancels());
        out.writeLong(version.createdAt());
    }

    private static void write(Optional<AccountSend.Outcome> outcome, DataOutputStream out) throws IOException {
        out.writeBoolean(outcome.isPresent());
        if (outcome.isPresent()) {
            out.write(outcome.get().hash().toArray());
            out.writeLong(outcome.get().blockNumber());
            out.write(outcome.get().blockHash().toArray());
            out.writeBoolean(outcome.get().succeeded());
        }
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void writeHeld(DataOutputStream out, byte[] held) throws IOException {
        writeBytes(out, held == null ? new byte[0] : held);
    }

    /**
     * Decodes all lines in {@code bytes} starting at the offset {@code from}.
     *
     * @throws IOException when they are malformed
     */
    static List<SentLine> decode(byte[] bytes, int from) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, from, bytes.length - from));
        List<SentLine> lines = new ArrayList<>();
        while (in.available() > 0) {
            lines.add(read(in));
        }
        return lines;
    }

    private static SentLine read(DataInputStream in) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case 1 -> readSpend(in);
            case 2 -> new Accepted(hash(in));
            case 3 -> new State(hash(in), IntentState.valueOf(in.readUTF()), text(in), in.readLong());
            case 4 -> new Held(hash(in), held(in));
            case 5 ->
                new Kept(KeptSpends.ofOlderRelease(
                        fixed(in, Hash256.LENGTH),
                        in.readLong(),
                        in.readLong(),
                        fixed(in, Hash256.LENGTH),
                        in.readLong(),
                        bytes(in)));
            case 6 -> new Account(readAccount(in));
            case 7 -> new AccountVersion(in.readUTF(), in.readInt(), version(in));
            case 8 ->
                new AccountState(in.readUTF(), AccountSend.State.valueOf(in.readUTF()), outcome(in), in.readLong());
            case 9 -> {
                Spend spend = readSpend(in);
                long number = in.readLong();
                yield new Spend(number, spend.intent().with(details(in)), spend.held(), spend.countedAt());
            }
            case 10 -> new Kept(row(in));
            case 11 -> new Memo(hash(in), ifText(in));
            case 12 -> readCarried(in);
            case 13 -> readCancelled(in);
            case 14 -> readSweep(in);
            case 15 -> new SweepPartEnded(hash(in), in.readInt(), SweepStore.Ending.LOST);
            case 16 -> new Peer(in.readUTF(), 0);
            case 17 -> new SweepPartEnded(hash(in), in.readInt(), SweepStore.Ending.STOPPED);
            case 18 -> new Sealed(new KeyringRow.Place(in.readUTF(), Bytes.wrap(bytes(in))), Bytes.wrap(bytes(in)));
            case 19 -> new KeyListed(readKey(in));
            case 20 -> new KeyringHead(readHead(in));
            case 21 -> readErased(in);
            case 22 -> readUses(in);
            case 23 ->
                new Watched(new WatchStore.WatchOnly(Address.of(fixed(in, Hash256.LENGTH)), ifText(in), ifNumber(in)));
            case 24 -> new Unwatched(Address.of(fixed(in, Hash256.LENGTH)));
            case 25 -> readSubmitted(in);
            case 26 -> new Peer(in.readUTF(), in.readLong());
            default -> throw new IOException("unknown kind of line: " + kind);
        };
    }

    private static Spend readSpend(DataInputStream in) throws IOException {
        Hash256 txId = hash(in);
        String kind = in.readUTF();
        Address from = Address.of(fixed(in, Hash256.LENGTH));
        Bytes transaction = Bytes.wrap(bytes(in));
        List<Coin> inputs = Coin.decode(bytes(in));
        long height = in.readLong();
        int change = in.readInt();
        Optional<TokenBinding> token =
                in.readBoolean() ? Optional.of(new TokenBinding(in.readUTF(), hash(in))) : Optional.empty();
        Amount allowance = Amount.ofUnsigned(in.readLong());
        long createdAt = in.readLong();
        Intent.Progress progress = new Intent.Progress(IntentState.valueOf(in.readUTF()), text(in), in.readLong());
        byte[] held = held(in);
        boolean counted = in.readBoolean();
        long countedAt = in.readLong();
        return new Spend(
                new Intent(
                        txId,
                        kind,
                        from,
                        transaction,
                        inputs,
                        height,
                        change < 0 ? OptionalInt.empty() : OptionalInt.of(change),
                        token,
                        allowance,
                        createdAt,
                        progress),
                held,
                counted ? OptionalLong.of(countedAt) : OptionalLong.empty());
    }

    private static Intent.Details details(DataInputStream in) throws IOException {
        Optional<String> tokenName = ifText(in);
        Optional<String> memo = ifText(in);
        boolean hasFee = in.readBoolean();
        Amount fee = Amount.ofUnsigned(in.readLong());
        return new Intent.Details(tokenName, memo, hasFee ? Optional.of(fee) : Optional.empty());
    }

    private static Object[] row(DataInputStream in) throws IOException {
        Object[] row = new Object[in.readUnsignedShort()];
        for (int i = 0; i < row.length; i++) {
            byte kind = in.readByte();
            row[i] = switch (kind) {
                case 0 -> null;
                case 1 -> in.readLong();
                case 2 -> text(in);
                case 3 -> bytes(in);
                default -> throw new IOException("unknown kind of value: " + kind);
            };
        }
        if (!KeptSpends.isRow(row)) {
            throw new IOException("not a row of kept_spends");
        }
        return row;
    }

    private static Optional<String> ifText(DataInputStream in) throws IOException {
        boolean there = in.readBoolean();
        String text = text(in);
        return there ? Optional.of(text) : Optional.empty();
    }

    private static AccountSend readAccount(DataInputStream in) throws IOException {
        String reference = in.readUTF();
        Hash256 digest = hash(in);
        String kind = in.readUTF();
        boolean hasCeiling = in.readBoolean();
        BigInteger ceiling = new BigInteger(bytes(in));
        String pushing = in.readUTF();
        boolean hasOwner = in.readBoolean();
        String owner = in.readUTF();
        AccountSend.Call call = new AccountSend.Call(
                new BigInteger(bytes(in)),
                Bytes.wrap(bytes(in)),
                Bytes.wrap(bytes(in)),
                new BigInteger(bytes(in)),
                Bytes.wrap(bytes(in)),
                in.readLong(),
                in.readLong());
        List<AccountSend.Version> versions = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            versions.add(version(in));
        }
        AccountSend.Progress progress = new AccountSend.Progress(
                AccountSend.State.valueOf(in.readUTF()), outcome(in), in.readLong(), in.readLong());
        return new AccountSend(
                AccountSend.NEW,
                new AccountSend.Order(
                        reference,
                        digest,
                        kind,
                        hasCeiling ? Optional.of(ceiling) : Optional.empty(),
                        pushing,
                        hasOwner ? Optional.of(owner) : Optional.empty()),
                call,
                versions,
                progress);
    }

    private static AccountSend.Version version(DataInputStream in) throws IOException {
        return new AccountSend.Version(
                hash(in),
                Bytes.wrap(bytes(in)),
                new BigInteger(bytes(in)),
                new BigInteger(bytes(in)),
                in.readBoolean(),
                in.readLong());
    }

    private static Optional<AccountSend.Outcome> outcome(DataInputStream in) throws IOException {
        return in.readBoolean()
                ? Optional.of(new AccountSend.Outcome(hash(in), in.readLong(), hash(in), in.readBoolean()))
                : Optional.empty();
    }

    private static Hash256 hash(DataInputStream in) throws IOException {
        return Hash256.of(fixed(in, Hash256.LENGTH));
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(bytes(in), StandardCharsets.UTF_8);
    }

    private static byte[] held(DataInputStream in) throws IOException {
        byte[] held = bytes(in);
        return held.length == 0 ? SpendRow.Held.NONE : held;
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("truncated line");
        }
        return fixed(in, length);
    }

    private static byte[] fixed(DataInputStream in, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }
}
