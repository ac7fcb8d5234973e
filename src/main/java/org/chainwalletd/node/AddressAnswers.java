package org.chainwalletd.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.U32;

/** Readers for the results of node methods about addresses and scripts (chain protocol, section 10.4). */
final class AddressAnswers {
    private static final int MOST_SCRIPT_BYTES = 0xffff;

    private static final RecordReader<BalanceAnswer> BALANCE = RecordReader.ofNode(BalanceAnswer.class);
    private static final RecordReader<BalancesAnswer> BALANCES = RecordReader.ofNode(BalancesAnswer.class);
    private static final RecordReader<ListingAnswer> LISTING = RecordReader.ofNode(ListingAnswer.class);
    private static final RecordReader<ListingsAnswer> LISTINGS = RecordReader.ofNode(ListingsAnswer.class);
    private static final RecordReader<MempoolAnswer> MEMPOOL = RecordReader.ofNode(MempoolAnswer.class);
    private static final RecordReader<MempoolsAnswer> MEMPOOLS = RecordReader.ofNode(MempoolsAnswer.class);

    private AddressAnswers() {}

    private record BalanceAnswer(@MaybeAbsent Address address, Amount balance) {}

    private record BalancesAnswer(List<BalanceOf> balances) {
        record BalanceOf(Address address, Amount balance) {}
    }

    /** An unspent output of a listing. */
    private record Coin(
            Hash256 txId,
            @U32 long outputIndex,
            Amount value,
            long height,
            boolean isCoinbase,
            @U32 @MaybeAbsent Long scriptLen) {
        NodeClient.Utxo utxo() {
            if (scriptLen != null && scriptLen > MOST_SCRIPT_BYTES) {
                throw new NodeException.BadAnswer(
                        "node answered with `script_len` that is not an unsigned 16-bit number");
            }
            return new NodeClient.Utxo(
                    new Outpoint(txId, outputIndex),
                    value,
                    height,
                    isCoinbase,
                    scriptLen == null ? null : scriptLen.intValue());
        }

        static List<NodeClient.Utxo> utxos(List<Coin> coins) {
            List<NodeClient.Utxo> utxos = new ArrayList<>(coins.size());
            for (Coin coin : coins) {
                utxos.add(coin.utxo());
            }
            return utxos;
        }
    }

    private record ListingAnswer(
            @MaybeAbsent Address address,
            @MaybeAbsent Bytes scriptHex,
            List<Coin> utxos,
            @MaybeAbsent Boolean truncated,
            long tipHeight) {
        NodeClient.UtxoListing listing() {
            return new NodeClient.UtxoListing(Coin.utxos(utxos), Boolean.TRUE.equals(truncated), tipHeight);
        }
    }

    private record ListingsAnswer(List<ListingOf> addresses, long tipHeight) {
        record ListingOf(
                Address address,
                List<Coin> utxos,
                @MaybeAbsent Boolean truncated) {}
    }

    private record MempoolAnswer(@MaybeAbsent Address address, List<Entry> mempool, long tipHeight) {}

    private record MempoolsAnswer(List<MempoolOf> addresses, long tipHeight) {
        record MempoolOf(Address address, List<Entry> mempool) {}
    }

    private record Entry(Hash256 txId, List<NodeClient.Received> received, List<Spent> spent) {
        record Spent(Hash256 txId, @U32 long outputIndex, Amount value) {
            NodeClient.Spent coin() {
                return new NodeClient.Spent(new Outpoint(txId, outputIndex), value);
            }
        }

        NodeClient.MempoolEntry entry() {
            return new NodeClient.MempoolEntry(
                    txId, received, spent.stream().map(Spent::coin).toList());
        }

        static NodeClient.AddressMempool mempool(long tipHeight, List<Entry> entries) {
            return new NodeClient.AddressMempool(
                    tipHeight, entries.stream().map(Entry::entry).toList());
        }
    }

    static ResultReader<Amount> balance(Address requested) {
        return in -> {
            BalanceAnswer answer = BALANCE.read(in);
            in.echo("address", answer.address(), requested);
            return answer.balance();
        };
    }

    static ResultReader<List<Amount>> balances(List<Address> requested) {
        return in -> inOrder(
                requested,
                BALANCES.read(in).balances(),
                BalancesAnswer.BalanceOf::address,
                BalancesAnswer.BalanceOf::balance,
                in);
    }

    static ResultReader<NodeClient.UtxoListing> addressUtxos(Address requested) {
        return new ResultReader<>() {
            @Override
            public NodeClient.UtxoListing read(AnswerJson in) throws IOException {
                ListingAnswer answer = LISTING.read(in);
                in.echo("address", answer.address(), requested);
                return answer.listing();
            }

            @Override
            public NodeClient.UtxoListing saidBy(String url, NodeClient.UtxoListing value) {
                return value.by(url);
            }
        };
    }

    static ResultReader<NodeClient.UtxoListing> scriptUtxos(Bytes requested) {
        return in -> {
            ListingAnswer answer = LISTING.read(in);
            in.echo("script_hex", answer.scriptHex(), requested);
            return answer.listing();
        };
    }

    static ResultReader<List<NodeClient.UtxoListing>> addressUtxos(List<Address> requested) {
        return in -> {
            ListingsAnswer answer = LISTINGS.read(in);
            return inOrder(
                    requested,
                    answer.addresses(),
                    ListingsAnswer.ListingOf::address,
                    of -> new NodeClient.UtxoListing(
                            Coin.utxos(of.utxos()), Boolean.TRUE.equals(of.truncated()), answer.tipHeight()),
                    in);
        };
    }

    static ResultReader<NodeClient.AddressMempool> addressMempool(Address requested) {
        return in -> {
            MempoolAnswer answer = MEMPOOL.read(in);
            in.echo("address", answer.address(), requested);
            return Entry.mempool(answer.tipHeight(), answer.mempool());
        };
    }

    static ResultReader<List<NodeClient.AddressMempool>> addressMempools(List<Address> requested) {
        return in -> {
            MempoolsAnswer answer = MEMPOOLS.read(in);
            return inOrder(
                    requested,
                    answer.addresses(),
                    MempoolsAnswer.MempoolOf::address,
                    of -> Entry.mempool(answer.tipHeight(), of.mempool()),
                    in);
        };
    }

    /** Returns the values in request order. Nodes omit duplicate addresses from the answers of batch methods. */
    private static <A, T> List<T> inOrder(
            List<Address> requested,
            List<A> answered,
            Function<A, Address> address,
            Function<A, T> value,
            AnswerJson in) {
        Map<Address, T> found = new HashMap<>();
        for (A item : answered) {
            if (found.put(address.apply(item), value.apply(item)) != null) {
                throw in.bad("address", "is listed twice");
            }
        }
        List<T> values = new ArrayList<>(requested.size());
        for (Address one : requested) {
            T of = found.get(one);
            if (of == null) {
                throw in.bad("addresses", "lacks an address that was asked for");
            }
            values.add(of);
        }
        return values;
    }
}
