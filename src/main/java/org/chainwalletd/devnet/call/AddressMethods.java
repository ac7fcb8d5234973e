package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.Params.Field;
import org.chainwalletd.devnet.call.Params.Shape;
import org.chainwalletd.devnet.call.Params.Type;
import org.chainwalletd.devnet.ledger.Coin;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView.Listing;
import org.chainwalletd.devnet.ledger.LedgerView.Pending;
import org.chainwalletd.devnet.ledger.LedgerView.PendingListing;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.devnet.wire.AddressText;

/** Balances, unspent outputs and unconfirmed transactions of addresses and scripts: what the scan quota counts (section 10.4). */
final class AddressMethods {
    private static final int MAX_ADDRESSES = 100;
    private static final int PAGE = 1_000;
    private static final int MAX_SCRIPT_BYTES = 65_535;
    private static final int SCRIPT_BODY_CAP = 200_000;

    private static final Field ADDRESS = new Field("address", Type.STRING, false);
    private static final Field ADDRESSES = new Field("addresses", Type.STRINGS, false);
    private static final Field CURSOR = new Field("cursor", Type.STRING, true);
    private static final Field LIMIT = new Field("limit", Type.USIZE, true);

    private static final Shape GET_BALANCE = Shape.of("GetBalanceParams", ADDRESS);
    private static final Shape GET_BALANCES = Shape.of("GetBalancesParams", ADDRESSES);
    private static final Shape GET_ADDRESS_UTXOS = Shape.of("GetAddressUtxosParams", ADDRESS, CURSOR, LIMIT);
    private static final Shape GET_ADDRESS_UTXOS_BATCH = Shape.of("GetAddressUtxosBatchParams", ADDRESSES);
    private static final Shape GET_SCRIPT_UTXOS =
            Shape.of("GetScriptUtxosParams", new Field("script_hex", Type.STRING, false), CURSOR, LIMIT);
    private static final Shape GET_ADDRESS_MEMPOOL = Shape.of("GetAddressMempoolParams", ADDRESS);
    private static final Shape GET_ADDRESS_MEMPOOL_BATCH = Shape.of("GetAddressMempoolBatchParams", ADDRESSES);

    private final Ledger ledger;

    AddressMethods(Ledger ledger) {
        this.ledger = ledger;
    }

    List<Method> all() {
        return List.of(
                Method.scan("get_balance", params -> balance(GET_BALANCE.read(params))),
                Method.scan("get_balances", params -> balances(GET_BALANCES.read(params))),
                Method.scan("get_address_utxos", params -> addressUtxos(GET_ADDRESS_UTXOS.read(params))),
                Method.scan(
                        "get_address_utxos_batch", params -> addressUtxosBatch(GET_ADDRESS_UTXOS_BATCH.read(params))),
                new Method(
                        "get_script_utxos",
                        SCRIPT_BODY_CAP,
                        Method.Bucket.SCAN,
                        params -> scriptUtxos(GET_SCRIPT_UTXOS.read(params))),
                Method.scan("get_address_mempool", params -> addressMempool(GET_ADDRESS_MEMPOOL.read(params))),
                Method.scan(
                        "get_address_mempool_batch",
                        params -> addressMempoolBatch(GET_ADDRESS_MEMPOOL_BATCH.read(params))));
    }

    private JsonNode balance(Params params) {
        String asked = params.text("address");
        return balance(asked, address(asked));
    }

    private ObjectNode balance(String asked, Address address) {
        BigInteger total = BigInteger.ZERO;
        for (Coin coin :
                ledger.list(script(address), null, null, Integer.MAX_VALUE).coins()) {
            total = total.add(coin.output().value().toBigInteger());
        }
        ObjectNode result = Json.object().put("address", asked);
        result.set("balance", Json.amount(Amount.of(total.min(U64.MAX))));
        return result;
    }

    private JsonNode balances(Params params) {
        ObjectNode result = Json.object();
        ArrayNode balances = result.putArray("balances");
        addresses(params).forEach((address, asked) -> balances.add(balance(asked, address)));
        return result;
    }

    private JsonNode addressUtxos(Params params) {
        String asked = params.text("address");
        return page(script(address(asked)), params, false).put("address", asked);
    }

    private JsonNode scriptUtxos(Params params) {
        String asked = params.text("script_hex");
        byte[] script;
        try {
            script = Hex.parse(asked);
        } catch (IllegalArgumentException e) {
            throw CallException.invalid("Invalid hex in script_hex: " + e.getMessage());
        }
        if (script.length > MAX_SCRIPT_BYTES) {
            throw CallException.invalid("script_hex exceeds max output-script size (got " + script.length
                    + " bytes, max " + MAX_SCRIPT_BYTES + ")");
        }
        return page(Bytes.wrap(script), params, true).put("script_hex", asked);
    }

    private JsonNode addressUtxosBatch(Params params) {
        ObjectNode result = Json.object();
        ArrayNode items = result.putArray("addresses");
        addresses(params)
                .forEach((address, asked) -> items.add(listing(ledger.list(script(address), null, null, PAGE), false)
                        .put("address", asked)));
        result.set("tip_height", Json.u64(ledger.tip().height()));
        return result;
    }

    private ObjectNode page(Bytes script, Params params, boolean withScriptLength) {
        Listing listing = asked(script, params);
        ObjectNode page = listing(listing, withScriptLength);
        page.put("next_cursor", nextCursor(listing));
        page.set("tip_height", Json.u64(listing.tip().height()));
        return page;
    }

    private Listing asked(Bytes script, Params params) {
        Cursor cursor = params.optionalText("cursor").map(Cursor::parse).orElse(Cursor.START);
        OptionalLong limit = params.optionalNumber("limit");
        int count = limit.isEmpty() || U64.compare(limit.getAsLong(), PAGE) > 0 ? PAGE : (int) limit.getAsLong();
        try {
            return ledger.list(script, cursor.after(), cursor.tip(), Math.max(1, count));
        } catch (RejectedException e) {
            throw CallException.invalid(e.getMessage());
        }
    }

    private static ObjectNode listing(Listing listing, boolean withScriptLength) {
        ObjectNode result = Json.object().put("truncated", listing.more());
        ArrayNode utxos = result.putArray("utxos");
        for (Coin coin : listing.coins()) {
            ObjectNode utxo = Json.object();
            utxo.set("height", Json.u64(coin.height()));
            utxo.put("is_coinbase", coin.coinbase());
            if (withScriptLength) {
                utxo.put("script_len", coin.output().script().length());
            }
            utxos.add(put(utxo, coin.outpoint(), coin.output().value()));
        }
        return result;
    }

    private static String nextCursor(Listing listing) {
        if (!listing.more()) {
            return null;
        }
        Coin last = listing.coins().get(listing.coins().size() - 1);
        return new Cursor(listing.tip().id(), last.outpoint()).toString();
    }

    private JsonNode addressMempool(Params params) {
        String asked = params.text("address");
        PendingListing pending = ledger.pendingOf(script(address(asked)));
        ObjectNode result = Json.object().put("address", asked);
        result.set("mempool", mempool(pending, script(address(asked)), Integer.MAX_VALUE));
        result.set("tip_height", Json.u64(pending.tip().height()));
        return result;
    }

    private JsonNode addressMempoolBatch(Params params) {
        ObjectNode result = Json.object();
        ArrayNode items = result.putArray("addresses");
        addresses(params).forEach((address, asked) -> {
            PendingListing pending = ledger.pendingOf(script(address));
            ObjectNode item = Json.object().put("address", asked);
            item.set("mempool", mempool(pending, script(address), PAGE));
            items.add(item.put("truncated", pending.transactions().size() > PAGE));
        });
        result.set("tip_height", Json.u64(ledger.tip().height()));
        return result;
    }

    private static ArrayNode mempool(PendingListing pending, Bytes script, int most) {
        ArrayNode entries = Json.array();
        pending.transactions().stream().limit(most).forEach(tx -> entries.add(entry(tx, script)));
        return entries;
    }

    private static ObjectNode entry(Pending pending, Bytes script) {
        ObjectNode entry = Json.object().put("tx_id", pending.txId().hex());
        ArrayNode received = entry.putArray("received");
        List<TxOutput> outputs = pending.tx().outputs();
        for (int i = 0; i < outputs.size(); i++) {
            if (outputs.get(i).script().equals(script)) {
                ObjectNode output = Json.object().put("output_index", i);
                output.set("value", Json.amount(outputs.get(i).value()));
                received.add(output);
            }
        }
        ArrayNode spent = entry.putArray("spent");
        for (Coin coin : pending.spent()) {
            if (coin.output().script().equals(script)) {
                spent.add(put(Json.object(), coin.outpoint(), coin.output().value()));
            }
        }
        return entry;
    }

    private static ObjectNode put(ObjectNode node, Outpoint outpoint, Amount value) {
        node.put("tx_id", outpoint.txId().hex());
        node.put("output_index", outpoint.index());
        node.set("value", Json.amount(value));
        return node;
    }

    private static Bytes script(Address address) {
        return Bytes.wrap(address.toArray());
    }

    private static Address address(String text) {
        try {
            return AddressText.parse(text);
        } catch (IllegalArgumentException e) {
            throw CallException.invalid(e.getMessage());
        }
    }

    /** The distinct addresses in their order, each with the spelling in which it came first. */
    private static Map<Address, String> addresses(Params params) {
        List<String> asked = params.texts("addresses");
        if (asked.isEmpty()) {
            throw CallException.invalid("addresses must not be empty");
        }
        if (asked.size() > MAX_ADDRESSES) {
            throw CallException.invalid("too many addresses (got " + asked.size() + ", max " + MAX_ADDRESSES + ")");
        }
        Map<Address, String> distinct = new LinkedHashMap<>();
        for (String text : asked) {
            try {
                distinct.putIfAbsent(AddressText.parse(text), text);
            } catch (IllegalArgumentException e) {
                throw CallException.invalid("Invalid address '" + text + "': " + e.getMessage());
            }
        }
        return distinct;
    }

    /** Position at which a listing continues: {@code <tip id>:<tx id>:<index>} (chain protocol, section 10.4). */
    record Cursor(Hash256 tip, Outpoint after) {
        static final Cursor START = new Cursor(null, null);

        static Cursor parse(String text) {
            String[] parts = text.split(":", -1);
            if (parts.length != 3) {
                throw invalid("cursor must be '<tip_id_hex>:<tx_id_hex>:<output_index>'");
            }
            return new Cursor(hash(parts[0], "tip_id"), new Outpoint(hash(parts[1], "tx_id"), index(parts[2])));
        }

        private static Hash256 hash(String hex, String name) {
            byte[] bytes;
            try {
                bytes = Hex.parse(hex);
            } catch (IllegalArgumentException e) {
                throw invalid("invalid cursor " + name + " hex: " + e.getMessage());
            }
            if (bytes.length != Hash256.LENGTH) {
                throw invalid("cursor " + name + " must be 32 bytes, got " + bytes.length);
            }
            return Hash256.of(bytes);
        }

        private static long index(String digits) {
            String number = digits.startsWith("+") ? digits.substring(1) : digits;
            if (digits.isEmpty()) {
                throw invalid("invalid cursor output_index: cannot parse integer from empty string");
            }
            if (!number.matches("[0-9]+")) {
                throw invalid("invalid cursor output_index: invalid digit found in string");
            }
            String significant = number.replaceFirst("^0+(?=.)", "");
            long value = significant.length() > 10 ? Long.MAX_VALUE : Long.parseLong(significant);
            if (value > Outpoint.MAX_INDEX) {
                throw invalid("invalid cursor output_index: number too large to fit in target type");
            }
            return value;
        }

        private static CallException invalid(String detail) {
            return CallException.invalid("Invalid cursor: " + detail);
        }

        @Override
        public String toString() {
            return tip + ":" + after;
        }
    }
}
