package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;

/** Ways in which a hostile or broken node answers wrongly. */
public enum Lie {
    NONE,
    /** {@code get_block_height} and {@code get_node_info} name another genesis block. */
    GENESIS,
    /** {@code get_block_height} and {@code get_node_info} do not name the genesis block, like old nodes. */
    NO_GENESIS,
    /** Listings of unspent outputs state half of each value. */
    UTXO_VALUE,
    /** Balances are doubled. */
    BALANCE,
    /** {@code send_raw_transaction} answers with another transaction id. */
    TX_ID,
    /** {@code get_transaction} gives the first output one base unit more. */
    TX_VALUE,
    /** {@code get_transaction} changes the last byte of the first output's script. */
    SCRIPT,
    /** {@code get_transaction} knows no transaction that was never confirmed. */
    FORGETFUL,
    /** {@code get_block} leaves the last transaction out of its list. */
    OMISSION,
    /** {@code get_block} states the height plus one. */
    HEIGHT,
    /** New blocks have no work; a lie only where the chain requires work. */
    NO_WORK,
    /** Results have another shape than the protocol says. */
    SHAPE;

    JsonNode distort(String method, JsonNode result) {
        if (Faults.isControl(method) || !(result instanceof ObjectNode object)) {
            return result;
        }
        switch (this) {
            case GENESIS -> replace(object, "genesis_block_id", "ee".repeat(32));
            case NO_GENESIS -> object.remove("genesis_block_id");
            case UTXO_VALUE -> object.findParents("value").forEach(utxo -> scale((ObjectNode) utxo, "value", 1, 2));
            case BALANCE -> object.findParents("balance").forEach(one -> scale((ObjectNode) one, "balance", 2, 1));
            case TX_ID -> {
                if (method.equals("send_raw_transaction")) {
                    replace(object, "tx_id", "ee".repeat(32));
                }
            }
            case TX_VALUE, SCRIPT -> {
                if (object.has("tx_hex")) {
                    object.put("tx_hex", altered(object.get("tx_hex").textValue()));
                }
            }
            case FORGETFUL -> {
                if (method.equals("get_transaction") && object.get("in_mempool").booleanValue()) {
                    throw CallException.invalid("Transaction not found");
                }
            }
            case OMISSION -> {
                if (object.get("transactions") instanceof ArrayNode list && !list.isEmpty()) {
                    list.remove(list.size() - 1);
                    object.put("tx_count", list.size());
                }
            }
            case HEIGHT -> {
                if (method.equals("get_block")) {
                    object.put("height", object.get("height").longValue() + 1);
                }
            }
            case SHAPE -> {
                return Json.object().put("unexpected", true);
            }
            case NO_WORK, NONE -> {
                return result;
            }
        }
        return result;
    }

    private static void replace(ObjectNode object, String member, String value) {
        if (object.has(member)) {
            object.put(member, value);
        }
    }

    private static void scale(ObjectNode object, String member, long numerator, long denominator) {
        BigInteger value = object.get(member).bigIntegerValue();
        object.put(member, value.multiply(BigInteger.valueOf(numerator)).divide(BigInteger.valueOf(denominator)));
    }

    private String altered(String hex) {
        Transaction tx = TransactionCodec.decode(HexFormat.of().parseHex(hex));
        List<TxOutput> outputs = new ArrayList<>(tx.outputs());
        TxOutput first = outputs.get(0);
        byte[] script = first.script().toArray();
        script[script.length - 1] ^= 1;
        outputs.set(
                0,
                this == TX_VALUE
                        ? new TxOutput(
                                Amount.ofUnsigned(first.value().bits() + 1),
                                first.script(),
                                first.datum(),
                                first.datumHash())
                        : new TxOutput(first.value(), Bytes.wrap(script), first.datum(), first.datumHash()));
        return HexFormat.of().formatHex(TransactionCodec.encode(new Transaction(tx.inputs(), outputs, tx.witnesses())));
    }
}
