package org.chainwalletd.devnet.compare;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.Ed25519;

/**
 * The questions that need coins, asked of one node: what it says to payments and contracts, valid ones and others. The coins are those of
 * the published test key of 32 bytes {@code 03}, the miner of a development network that is started with it.
 */
final class Payments {
    /** Coins that one run uses up. */
    static final int COINS = 3;

    private static final byte[] SEED = new byte[32];
    private static final PublicKey KEY;
    private static final long BLOCK_PATIENCE_MILLIS = 60_000;
    private static final int POLL_MILLIS = 200;

    static {
        Arrays.fill(SEED, (byte) 3);
        KEY = PublicKey.of(Ed25519.publicKey(SEED));
    }

    private final ChainProfile profile;
    private final Peer peer;
    private final Hash256 genesisId;
    private final Map<String, String> answers = new LinkedHashMap<>();
    private final List<Outpoint> coins = new ArrayList<>();
    private final List<Long> values = new ArrayList<>();

    Payments(ChainProfile profile, Peer peer) throws IOException {
        this.profile = profile;
        this.peer = peer;
        this.genesisId = Hash256.parse(peer.call("get_block_height", "{}")
                .at("/result/genesis_block_id")
                .asText());
        JsonNode listing = peer.call(
                "get_address_utxos", "{\"address\":\"" + profile.addressOf(KEY).hex() + "\",\"limit\":" + COINS + "}");
        for (JsonNode coin : listing.at("/result/utxos")) {
            coins.add(new Outpoint(
                    Hash256.parse(coin.get("tx_id").asText()),
                    coin.get("output_index").longValue()));
            values.add(coin.get("value").longValue());
        }
    }

    /** Whether there are coins enough. */
    boolean isPossible() {
        return coins.size() == COINS;
    }

    /**
     * Asks everything.
     *
     * @return the answers by question, in their order
     * @throws IOException when the node cannot be reached, or confirms nothing
     */
    Map<String, String> ask() throws IOException {
        refusals();
        payment();
        contract();
        return answers;
    }

    private void refusals() throws IOException {
        Outpoint coin = coins.get(0);
        long value = values.get(0);
        Transaction good = signed(List.of(coin), own(value - 63));
        send("a fee below the minimum", signed(List.of(coin), own(value - 62)));
        send("more than the coins", signed(List.of(coin), own(value + 1)));
        send("sums beyond 64 bits", signed(List.of(coin), own(-1L), own(200)));
        send("an output below the dust", signed(List.of(coin), own(value - 1_000), own(199)));
        send("an outpoint twice", signed(List.of(coin, coin), own(value)));
        send("no outputs", signed(List.of(coin)));
        send("an empty script", signed(List.of(coin), TxOutput.toScript(Bytes.EMPTY, Amount.of(500))));
        send(
                "a script of 32 bytes that is a program",
                signed(
                        List.of(coin),
                        TxOutput.toScript(
                                Bytes.parse("0100000000000000" + "0e13000000" + "050e000000" + "ab".repeat(14)),
                                Amount.of(500))));
        send(
                "a datum with another hash",
                signed(
                        List.of(coin),
                        own(value - 100).withDatum(Bytes.parse("01")).withDatumHash(Hash256.ZERO)));
        send(
                "another key",
                with(good, data -> concat(Ed25519.publicKey(new byte[32]), Arrays.copyOfRange(data, 32, 96))));
        send("a changed signature", with(good, data -> {
            data[64] ^= 1;
            return data;
        }));
        send("a nonce point of small order", with(good, data -> {
            Arrays.fill(data, 32, 64, (byte) 0);
            data[32] = 1;
            return data;
        }));
        send("a witness of 95 bytes", with(good, data -> Arrays.copyOf(data, 95)));
        send(
                "a redeemer on a plain input",
                good.withWitnesses(List.of(new Witness(good.witnesses().get(0).data(), Bytes.parse("00")))));
        TxOutput large = new TxOutput(Amount.of(1_000), Bytes.wrap(new byte[65_000]), null, null);
        send(
                "more than a mebibyte",
                signed(List.of(coin), Stream.generate(() -> large).limit(17).toArray(TxOutput[]::new)));
    }

    private void payment() throws IOException {
        Outpoint coin = coins.get(0);
        Transaction tx = signed(List.of(coin), own(values.get(0) - 63));
        send("the minimum fee", tx);
        send("the same again", tx);
        send("the same coin again", signed(List.of(coin), own(values.get(0) - 100)));
        Outpoint pending = new Outpoint(TransactionCodec.txId(profile, tx), 0);
        send("a coin that is pending", signed(List.of(pending), own(values.get(0) - 200)));
        answers.put("a pending transaction", Plain.answer(peer.call("get_transaction", hash(tx))));
        answers.put(
                "the mempool of its address",
                Plain.answer(peer.call(
                        "get_address_mempool",
                        "{\"address\":\"" + profile.addressOf(KEY).hex() + "\"}")));
        confirm(tx);
        answers.put("the confirmed transaction", Plain.answer(peer.call("get_transaction", hash(tx))));
        send("the confirmed transaction again", tx);
    }

    private void contract() throws IOException {
        byte[] preimage = {1, 2, 3};
        long value = values.get(1);
        HtlcParams params = new HtlcParams(KEY, KEY, Hash256.sha256(preimage), 1_000_000_000L);
        Transaction lock = signed(
                List.of(coins.get(1)),
                new TxOutput(Amount.of(100_000), HtlcScript.build(params), null, null),
                own(value - 100_079));
        send("a lock", lock);
        byte[] datum = new byte[4_097];
        Transaction hashed = signed(
                List.of(coins.get(2)),
                new TxOutput(Amount.of(100_000), HtlcScript.build(params), null, Hash256.sha256(datum)),
                own(values.get(2) - 100_090));
        send("a lock with the hash of a datum", hashed);
        confirm(lock);
        confirm(hashed);
        Transaction claim = claim(lock, preimage);
        byte[] data = claim.witnesses().get(0).data().toArray();
        send("a claim with another preimage", claim(lock, new byte[] {9}));
        send("a claim with another key's signature", with(claim, bytes -> {
            bytes[bytes.length - 1] ^= 1;
            return bytes;
        }));
        send("a claim with a byte more", with(claim, bytes -> concat(bytes, new byte[1])));
        send("a claim cut short", with(claim, bytes -> Arrays.copyOf(bytes, 20)));
        send("an empty witness", with(claim, bytes -> new byte[0]));
        send("a selector of another type", with(claim, bytes -> HexFormat.of().parseHex("060100000000000000")));
        Transaction reclaim = unsigned(lock);
        send("a reclaim before the time", reclaim.withWitnesses(List.of(HtlcWitness.reclaim(sign(reclaim)))));
        Transaction withDatum = claim(hashed, preimage);
        send("no datum where one is asked for", withDatum);
        for (byte[] redeemer : List.of(new byte[3], datum, new byte[5_000])) {
            Witness witness = new Witness(withDatum.witnesses().get(0).data(), Bytes.wrap(redeemer));
            send("a redeemer of " + redeemer.length + " bytes", withDatum.withWitnesses(List.of(witness)));
        }
        data[0] = 8;
        send("the other encoding of the selector", claim.withWitnesses(List.of(new Witness(Bytes.wrap(data), null))));
    }

    private Transaction unsigned(Transaction lock) {
        return new Transaction(
                List.of(new Outpoint(TransactionCodec.txId(profile, lock), 0)), List.of(own(99_000)), List.of());
    }

    private Transaction claim(Transaction lock, byte[] preimage) {
        Transaction tx = unsigned(lock);
        return tx.withWitnesses(List.of(HtlcWitness.claim(preimage, sign(tx))));
    }

    private TxOutput own(long value) {
        return TxOutput.toAddress(profile.addressOf(KEY), Amount.ofUnsigned(value));
    }

    private byte[] sign(Transaction tx) {
        return Ed25519.sign(SEED, KEY.toArray(), TransactionCodec.signingMessage(profile, genesisId, tx));
    }

    private Transaction signed(List<Outpoint> inputs, TxOutput... outputs) {
        Transaction tx = new Transaction(inputs, List.of(outputs), List.of());
        Witness witness = Witness.plain(KEY, sign(tx));
        return tx.withWitnesses(inputs.stream().map(input -> witness).toList());
    }

    private static Transaction with(Transaction tx, UnaryOperator<byte[]> change) {
        byte[] data = tx.witnesses().get(0).data().toArray();
        return tx.withWitnesses(List.of(new Witness(Bytes.wrap(change.apply(data)), null)));
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private String hash(Transaction tx) {
        return "{\"hash\":\"" + TransactionCodec.txId(profile, tx).hex() + "\"}";
    }

    private void send(String question, Transaction tx) throws IOException {
        String hex = HexFormat.of().formatHex(TransactionCodec.encode(tx));
        answers.put(question, Plain.answer(peer.call("send_raw_transaction", "{\"tx_hex\":\"" + hex + "\"}")));
    }

    /** Waits for the transaction's block, which a node mines by itself. */
    private void confirm(Transaction tx) throws IOException {
        for (long waited = 0; waited < BLOCK_PATIENCE_MILLIS; waited += POLL_MILLIS) {
            if (peer.call("get_transaction", hash(tx)).at("/result").has("block_height")) {
                return;
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        throw new IOException("transaction " + TransactionCodec.txId(profile, tx) + " was not mined within "
                + BLOCK_PATIENCE_MILLIS / 1_000 + " s: does the node mine?");
    }
}
