package org.chainwalletd.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** Readers for the results of a node's methods about addresses and scripts (chain protocol, section 10.4). */
final class AddressAnswers {
    private static final Pattern CURSOR = Pattern.compile("[0-9A-Za-z:._-]{1,200}");

    private AddressAnswers() {}

    static ResultReader<Amount> balance(Address asked) {
        return in -> {
            in.beginObject();
            Amount balance = null;
            for (String name; (name = in.nextMember()) != null; ) {
                switch (name) {
                    case "balance" -> balance = in.amount(balance);
                    case "address" -> in.echo(asked.hex());
                    default -> in.skip();
                }
            }
            return in.required(balance, "balance");
        };
    }

    static ResultReader<List<Amount>> balances(List<Address> asked) {
        return in -> {
            in.beginObject();
            Map<Address, Amount> found = null;
            for (String name; (name = in.nextMember()) != null; ) {
                if (name.equals("balances")) {
                    in.beginArray(found);
                    found = new HashMap<>();
                    while (in.nextElement()) {
                        balanceItem(in, found);
                    }
                } else {
                    in.skip();
                }
            }
            return inOrder(asked, in.required(found, "balances"), in);
        };
    }

    private static void balanceItem(AnswerJson in, Map<Address, Amount> found) throws IOException {
        in.beginObject();
        Address address = null;
        Amount balance = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "address" -> address = in.address(address);
                case "balance" -> balance = in.amount(balance);
                default -> in.skip();
            }
        }
        if (found.put(in.required(address, "address"), in.required(balance, "balance")) != null) {
            throw in.bad("lists an address twice");
        }
    }

    static ResultReader<NodeClient.UtxoListing> addressUtxos(Address asked) {
        return new ResultReader<>() {
            @Override
            public NodeClient.UtxoListing read(AnswerJson in) throws IOException {
                return listing(in, "address", asked.hex());
            }

            @Override
            public NodeClient.UtxoListing saidBy(String url, NodeClient.UtxoListing value) {
                return value.by(url);
            }
        };
    }

    /** A page and its cursor, which goes back to the node as it is: so nothing but what a cursor is made of is taken for one. */
    static ResultReader<NodeClient.UtxoPage> utxoPage(Address asked) {
        return in -> {
            in.beginObject();
            List<NodeClient.Utxo> utxos = null;
            String next = null;
            for (String name; (name = in.nextMember()) != null; ) {
                switch (name) {
                    case "address" -> in.echo(asked.hex());
                    case "utxos" -> utxos = utxos(in, utxos);
                    case "next_cursor" -> next = in.isNull() ? null : cursor(in, in.text(next));
                    default -> in.skip();
                }
            }
            return new NodeClient.UtxoPage(in.required(utxos, "utxos"), Optional.ofNullable(next));
        };
    }

    private static String cursor(AnswerJson in, String text) {
        if (!CURSOR.matcher(text).matches()) {
            throw in.bad("a cursor that is none");
        }
        return text;
    }

    static ResultReader<NodeClient.UtxoListing> scriptUtxos(Bytes asked) {
        String hex = asked.hex();
        return in -> listing(in, "script_hex", hex);
    }

    private static NodeClient.UtxoListing listing(AnswerJson in, String keyName, String asked) throws IOException {
        in.beginObject();
        List<NodeClient.Utxo> utxos = null;
        Boolean truncated = null;
        Long tipHeight = null;
        for (String name; (name = in.nextMember()) != null; ) {
            if (name.equals(keyName)) {
                in.echo(asked);
                continue;
            }
            switch (name) {
                case "utxos" -> utxos = utxos(in, utxos);
                case "truncated" -> truncated = in.flag(truncated);
                case "tip_height" -> tipHeight = in.u64(tipHeight);
                default -> in.skip();
            }
        }
        return new NodeClient.UtxoListing(
                in.required(utxos, "utxos"), Boolean.TRUE.equals(truncated), in.required(tipHeight, "tip_height"));
    }

    private static List<NodeClient.Utxo> utxos(AnswerJson in, List<NodeClient.Utxo> earlier) throws IOException {
        in.beginArray(earlier);
        List<NodeClient.Utxo> utxos = new ArrayList<>();
        while (in.nextElement()) {
            utxos.add(utxo(in));
        }
        return utxos;
    }

    private static NodeClient.Utxo utxo(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 txId = null;
        Long index = null;
        Amount value = null;
        Long height = null;
        Boolean coinbase = null;
        Long scriptLength = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "tx_id" -> txId = in.hash(txId);
                case "output_index" -> index = in.u32(index);
                case "value" -> value = in.amount(value);
                case "height" -> height = in.u64(height);
                case "is_coinbase" -> coinbase = in.flag(coinbase);
                case "script_len" -> scriptLength = in.isNull() ? null : in.u16(scriptLength);
                default -> in.skip();
            }
        }
        return new NodeClient.Utxo(
                new Outpoint(in.required(txId, "tx_id"), in.required(index, "output_index")),
                in.required(value, "value"),
                in.required(height, "height"),
                in.required(coinbase, "is_coinbase"),
                scriptLength == null ? null : scriptLength.intValue());
    }

    static ResultReader<List<NodeClient.UtxoListing>> addressUtxos(List<Address> asked) {
        return in -> {
            in.beginObject();
            Map<Address, NodeClient.UtxoListing> found = null;
            Long tipHeight = null;
            for (String name; (name = in.nextMember()) != null; ) {
                switch (name) {
                    case "addresses" -> {
                        in.beginArray(found);
                        found = new HashMap<>();
                        while (in.nextElement()) {
                            utxosOfAddress(in, found);
                        }
                    }
                    case "tip_height" -> tipHeight = in.u64(tipHeight);
                    default -> in.skip();
                }
            }
            long tip = in.required(tipHeight, "tip_height");
            List<NodeClient.UtxoListing> inOrder = new ArrayList<>(asked.size());
            for (NodeClient.UtxoListing one : inOrder(asked, in.required(found, "addresses"), in)) {
                inOrder.add(new NodeClient.UtxoListing(one.utxos(), one.truncated(), tip));
            }
            return inOrder;
        };
    }

    private static void utxosOfAddress(AnswerJson in, Map<Address, NodeClient.UtxoListing> found) throws IOException {
        in.beginObject();
        Address address = null;
        List<NodeClient.Utxo> utxos = null;
        Boolean truncated = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "address" -> address = in.address(address);
                case "utxos" -> utxos = utxos(in, utxos);
                case "truncated" -> truncated = in.flag(truncated);
                default -> in.skip();
            }
        }
        NodeClient.UtxoListing listing =
                new NodeClient.UtxoListing(in.required(utxos, "utxos"), Boolean.TRUE.equals(truncated), 0);
        if (found.put(in.required(address, "address"), listing) != null) {
            throw in.bad("lists an address twice");
        }
    }

    /** A node leaves duplicates out of the answers of batch methods, so the values are put back to where they were asked for. */
    private static <T> List<T> inOrder(List<Address> asked, Map<Address, T> found, AnswerJson in) {
        List<T> values = new ArrayList<>(asked.size());
        for (Address address : asked) {
            T value = found.get(address);
            if (value == null) {
                throw in.bad("lacks an address that was asked for");
            }
            values.add(value);
        }
        return values;
    }

    static ResultReader<NodeClient.AddressMempool> addressMempool(Address asked) {
        return in -> {
            in.beginObject();
            List<NodeClient.MempoolEntry> entries = null;
            Long tipHeight = null;
            for (String name; (name = in.nextMember()) != null; ) {
                switch (name) {
                    case "address" -> in.echo(asked.hex());
                    case "tip_height" -> tipHeight = in.u64(tipHeight);
                    case "mempool" -> {
                        in.beginArray(entries);
                        entries = new ArrayList<>();
                        while (in.nextElement()) {
                            entries.add(mempoolEntry(in));
                        }
                    }
                    default -> in.skip();
                }
            }
            return new NodeClient.AddressMempool(in.required(tipHeight, "tip_height"), in.required(entries, "mempool"));
        };
    }

    static ResultReader<List<NodeClient.AddressMempool>> addressMempools(List<Address> asked) {
        return in -> {
            in.beginObject();
            Map<Address, List<NodeClient.MempoolEntry>> found = null;
            Long tipHeight = null;
            for (String name; (name = in.nextMember()) != null; ) {
                switch (name) {
                    case "tip_height" -> tipHeight = in.u64(tipHeight);
                    case "addresses" -> {
                        in.beginArray(found);
                        found = new HashMap<>();
                        while (in.nextElement()) {
                            mempoolOf(in, found);
                        }
                    }
                    default -> in.skip();
                }
            }
            long height = in.required(tipHeight, "tip_height");
            Map<Address, List<NodeClient.MempoolEntry>> all = in.required(found, "addresses");
            List<NodeClient.AddressMempool> mempools = new ArrayList<>(asked.size());
            for (Address address : asked) {
                mempools.add(new NodeClient.AddressMempool(height, in.required(all.get(address), address.hex())));
            }
            return mempools;
        };
    }

    private static void mempoolOf(AnswerJson in, Map<Address, List<NodeClient.MempoolEntry>> found) throws IOException {
        in.beginObject();
        Address address = null;
        List<NodeClient.MempoolEntry> entries = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "address" -> address = in.address(address);
                case "mempool" -> {
                    in.beginArray(entries);
                    entries = new ArrayList<>();
                    while (in.nextElement()) {
                        entries.add(mempoolEntry(in));
                    }
                }
                default -> in.skip();
            }
        }
        if (found.put(in.required(address, "address"), in.required(entries, "mempool")) != null) {
            throw in.bad("lists an address twice");
        }
    }

    private static NodeClient.MempoolEntry mempoolEntry(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 txId = null;
        List<NodeClient.Received> received = null;
        List<NodeClient.Spent> spent = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "tx_id" -> txId = in.hash(txId);
                case "received" -> {
                    in.beginArray(received);
                    received = new ArrayList<>();
                    while (in.nextElement()) {
                        received.add(received(in));
                    }
                }
                case "spent" -> {
                    in.beginArray(spent);
                    spent = new ArrayList<>();
                    while (in.nextElement()) {
                        spent.add(spent(in));
                    }
                }
                default -> in.skip();
            }
        }
        return new NodeClient.MempoolEntry(
                in.required(txId, "tx_id"), in.required(received, "received"), in.required(spent, "spent"));
    }

    private static NodeClient.Received received(AnswerJson in) throws IOException {
        in.beginObject();
        Long index = null;
        Amount value = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "output_index" -> index = in.u32(index);
                case "value" -> value = in.amount(value);
                default -> in.skip();
            }
        }
        return new NodeClient.Received(in.required(index, "output_index"), in.required(value, "value"));
    }

    private static NodeClient.Spent spent(AnswerJson in) throws IOException {
        in.beginObject();
        Hash256 txId = null;
        Long index = null;
        Amount value = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "tx_id" -> txId = in.hash(txId);
                case "output_index" -> index = in.u32(index);
                case "value" -> value = in.amount(value);
                default -> in.skip();
            }
        }
        return new NodeClient.Spent(
                new Outpoint(in.required(txId, "tx_id"), in.required(index, "output_index")),
                in.required(value, "value"));
    }
}
