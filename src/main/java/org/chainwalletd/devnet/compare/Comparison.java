package org.chainwalletd.devnet.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
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
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;

/**
 * Sends the same requests to an in-memory development node started for this and to another node, and compares the answers. Blocks until
 * done, which takes several seconds and several blocks of the other node.
 */
public final class Comparison {
    private Comparison() {}

    /**
     * @param other URI of the other node
     * @param found receives each finding as soon as both nodes have answered
     * @return whether the questions that need coins were asked: the other node's miner was paid to the test key
     * @throws IOException when a node cannot be reached
     */
    public static boolean run(ChainProfile profile, URI other, Consumer<Finding> found) throws IOException {
        return run(profile, other, () -> {}, found);
    }

    /**
     * As {@link #run(ChainProfile, URI, Consumer)}, at a node that mines nothing by itself.
     *
     * @param mine makes the other node mine a block
     */
    static boolean run(ChainProfile profile, URI other, Runnable mine, Consumer<Finding> found) throws IOException {
        // Blocks come only where they are waited for: one between two questions about a pending transaction would look
        // like a difference.
        DevnetConfig config = DevnetConfig.onDemand(profile).withPrompt(false);
        try (Devnet devnet = Devnet.start(config)) {
            Peer ours = new Peer(devnet.uri());
            Peer theirs = new Peer(other);
            for (Questions.Question question : Questions.all()) {
                found.accept(new Finding(
                        question.name(),
                        Plain.http(ours.exchange(question.request(), question.events())),
                        Plain.http(theirs.exchange(question.request(), question.events()))));
            }
            Payments expected = new Payments(profile, ours, () -> devnet.mine(1));
            Payments actual = new Payments(profile, theirs, mine);
            if (!actual.isPossible()) {
                return false;
            }
            Map<String, String> answers = expected.ask();
            actual.ask().forEach((name, answer) -> found.accept(new Finding(name, answers.get(name), answer)));
            return true;
        }
    }

    /**
     * Answers of two nodes to one question, with chain-specific ids, heights and values removed.
     *
     * @param question what was asked, in a few words
     * @param ours of the development node
     * @param theirs of the other one
     */
    public record Finding(String question, String ours, String theirs) {
        public boolean differs() {
            return !ours.equals(theirs);
        }
    }

    /**
     * The questions that need coins, asked of one node: its answers to valid and invalid payments and contracts. The coins are those of
     * the published test key of 32 bytes {@code 03}, the miner of a development network that is started with it.
     */
    private static final class Payments {
        /** Coins consumed by one run. */
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
        private final Runnable mine;
        private final Hash256 genesisId;
        private final Map<String, String> answers = new LinkedHashMap<>();
        private final List<Outpoint> coins = new ArrayList<>();
        private final List<Long> values = new ArrayList<>();

        /** @param mine makes the node mine a block, unless it mines by itself */
        Payments(ChainProfile profile, Peer peer, Runnable mine) throws IOException {
            this.profile = profile;
            this.peer = peer;
            this.mine = mine;
            this.genesisId = Hash256.parse(peer.call("get_block_height", "{}")
                    .at("/result/genesis_block_id")
                    .asText());
            JsonNode listing = peer.call(
                    "get_address_utxos",
                    "{\"address\":\"" + profile.addressOf(KEY).hex() + "\",\"limit\":" + COINS + "}");
            for (JsonNode coin : listing.at("/result/utxos")) {
                coins.add(new Outpoint(
                        Hash256.parse(coin.get("tx_id").asText()),
                        coin.get("output_index").longValue()));
                values.add(coin.get("value").longValue());
            }
        }

        /** Whether there are enough coins. */
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
                    good.withWitnesses(
                            List.of(new Witness(good.witnesses().get(0).data(), Bytes.parse("00")))));
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
            send(
                    "a selector of another type",
                    with(claim, bytes -> HexFormat.of().parseHex("060100000000000000")));
            Transaction reclaim = unsigned(lock);
            send("a reclaim before the time", reclaim.withWitnesses(List.of(HtlcWitness.reclaim(sign(reclaim)))));
            Transaction withDatum = claim(hashed, preimage);
            send("no datum where one is asked for", withDatum);
            for (byte[] redeemer : List.of(new byte[3], datum, new byte[5_000])) {
                Witness witness = new Witness(withDatum.witnesses().get(0).data(), Bytes.wrap(redeemer));
                send("a redeemer of " + redeemer.length + " bytes", withDatum.withWitnesses(List.of(witness)));
            }
            data[0] = 8;
            send(
                    "the other encoding of the selector",
                    claim.withWitnesses(List.of(new Witness(Bytes.wrap(data), null))));
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

        /** Waits for the transaction's block. */
        private void confirm(Transaction tx) throws IOException {
            for (long waited = 0; waited < BLOCK_PATIENCE_MILLIS; waited += POLL_MILLIS) {
                mine.run();
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

    /**
     * The questions that need no coins: transport, envelope, parameters, push stream (chain protocol, sections 10, 12 and 17). Fewer than 30
     * of them count as scans and fewer than 60 as submissions, so that the quotas of a real node let one comparison a minute pass.
     */
    private static final class Questions {
        private static final String ADDRESS = "77".repeat(32);
        private static final String HEIGHT = "{\"jsonrpc\":\"2.0\",\"method\":\"get_block_height\",\"id\":1}";

        private final List<Question> all = new ArrayList<>();

        /**
         * @param request bytes as Latin-1
         * @param events how many events the answer begins with, when it is a push stream
         */
        record Question(String name, String request, int events) {}

        private Questions() {}

        static List<Question> all() {
            Questions questions = new Questions();
            questions.transport();
            questions.envelopes();
            questions.parameters();
            questions.transactions();
            questions.streams();
            return List.copyOf(questions.all);
        }

        private void raw(String name, String request) {
            all.add(new Question(name, request, request.split(ADDRESS, -1).length - 1));
        }

        private void body(String name, String body) {
            raw(name, Peer.post(new String(body.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)));
        }

        private void call(String method, String params) {
            body(
                    method + " " + (params.length() > 60 ? params.substring(0, 57) + "..." : params),
                    "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params.replace('\'', '"')
                            + ",\"id\":1}");
        }

        private void transport() {
            raw("no content length", "POST / HTTP/1.1\r\nHost: x\r\n\r\n");
            raw("content length zero", "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
            raw("content length no number", "POST / HTTP/1.1\r\nContent-Length: abc\r\n\r\n");
            raw("content length above the cap", "POST / HTTP/1.1\r\nContent-Length: 2621441\r\n\r\n");
            raw(
                    "content length with a plus",
                    "POST / HTTP/1.1\r\nContent-Length: +" + HEIGHT.length() + "\r\n\r\n" + HEIGHT);
            raw(
                    "content length in capitals",
                    "POST / HTTP/1.1\r\nCONTENT-LENGTH: " + HEIGHT.length() + "\r\n\r\n" + HEIGHT);
            raw("any path", Peer.post(HEIGHT).replace("POST / ", "POST /any/path "));
            raw("GET", "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            raw("PUT", "PUT / HTTP/1.1\r\nContent-Length: 1\r\n\r\n{");
            String start = "POST / HTTP/1.1\r\nX: ";
            raw("8192 bytes of head without an end", start + "a".repeat(8_192 - start.length()));
        }

        private void envelopes() {
            body("not JSON", "{");
            body("a batch", "[" + HEIGHT + "]");
            body("two texts", HEIGHT + HEIGHT);
            body("no id", HEIGHT.replace(",\"id\":1", ""));
            body("id null", HEIGHT.replace("\"id\":1", "\"id\":null"));
            body("id a list", HEIGHT.replace("\"id\":1", "\"id\":[1,\"x\",{\"b\":1,\"a\":2}]"));
            body("id a large number", HEIGHT.replace("\"id\":1", "\"id\":18446744073709551616"));
            body("id a fraction", HEIGHT.replace("\"id\":1", "\"id\":0.000001"));
            body("id out of range", HEIGHT.replace("\"id\":1", "\"id\":1e400"));
            body("id half a surrogate pair", HEIGHT.replace("\"id\":1", "\"id\":\"\\ud800\""));
            body("id minus zero", HEIGHT.replace("\"id\":1", "\"id\":-0"));
            body("version 1.0", HEIGHT.replace("2.0", "1.0"));
            body("no version", HEIGHT.replace("\"jsonrpc\":\"2.0\",", ""));
            body("unknown method", HEIGHT.replace("get_block_height", "nope"));
            body("unknown member", HEIGHT.replace("\"id\":1", "\"id\":1,\"x\":{}"));
            body("repeated member", HEIGHT.replace("\"id\":1", "\"id\":1,\"id\":2"));
            body("a byte order mark", "\ufeff" + HEIGHT);
            raw(
                    "UTF-16",
                    Peer.post(new String(HEIGHT.getBytes(StandardCharsets.UTF_16LE), StandardCharsets.ISO_8859_1)));
            body("a body above the method's cap", HEIGHT.replace("\"id\":1", "\"id\":\"" + "a".repeat(70_000) + "\""));
        }

        private void parameters() {
            call("get_node_info", "null");
            call("get_balance", "{}");
            call("get_balance", "null");
            call("get_balance", "[]");
            call("get_balance", "{'address':5}");
            call("get_balance", "{'address':'abcd'}");
            call("get_balance", "{'address':'zz'}");
            call("get_balance", "['" + ADDRESS + "']");
            call("get_balances", "{'addresses':[]}");
            call("get_balances", "{'addresses':['" + ADDRESS + "','qq']}");
            call("get_address_utxos", "{'address':'" + ADDRESS + "'}");
            call("get_address_utxos", "{'address':'" + ADDRESS + "','limit':-1}");
            call("get_address_utxos", "{'address':'" + ADDRESS + "','cursor':'x'}");
            call("get_address_utxos", "{'address':'" + ADDRESS + "','cursor':'aa:aa:1'}");
            call("get_address_utxos", "{'address':'" + ADDRESS + "','cursor':'" + ADDRESS + ":" + ADDRESS + ":x'}");
            call("get_address_utxos", "{'address':'" + ADDRESS + "','cursor':'" + ADDRESS + ":" + ADDRESS + ":1'}");
            call("get_address_utxos_batch", "{'addresses':['" + ADDRESS + "','" + ADDRESS + "']}");
            call("get_script_utxos", "{'script_hex':'abc'}");
            call("get_script_utxos", "{'script_hex':''}");
            call("get_address_mempool", "{'address':'" + ADDRESS + "'}");
            call("get_address_mempool_batch", "{'addresses':['" + ADDRESS + "']}");
            call("get_block", "{}");
            call("get_block", "{'height':0}");
            call("get_block", "{'height':99999999999}");
            call("get_block", "{'height':-1}");
            call("get_block", "{'height':-0}");
            call("get_block", "{'height':1.5}");
            call("get_block", "{'height':18446744073709551616}");
            call("get_block", "{'height':1e400}");
            call("get_block", "{'hash':'abcd'}");
            call("get_block", "{'hash':'" + ADDRESS + "'}");
            call("get_block", "{'hash':'zz'}");
            call("get_transaction", "{'hash':'" + ADDRESS + "'}");
            call("get_transaction", "{'hash':'ab'}");
            call("get_output_spent_by", "{'tx_id':'" + ADDRESS + "','output_index':0}");
            call("get_output_spent_by", "{'tx_id':'ab','output_index':0}");
            call("get_output_spent_by", "{'tx_id':'" + ADDRESS + "','output_index':4294967296}");
        }

        private void transactions() {
            String input = "11".repeat(36);
            String output = "c800000000000000" + "2000" + "22".repeat(32);
            String witness = "6000" + "00".repeat(96) + "00";
            for (String hex : List.of(
                    "",
                    "zz",
                    "abc",
                    "010002",
                    "00000000",
                    "ffff0100" + input,
                    "01000100" + input + output + "0000" + witness + "00",
                    "01000100" + input + output + "02" + "00" + witness,
                    "01000100" + input + output + "00" + "02" + witness,
                    "01000100" + input + output + "0000" + "6000" + "00".repeat(96) + "02",
                    "01000100" + input + output + "01" + "0110",
                    "01000100" + input + output + "0000" + "0000" + "01" + "0140",
                    "01000100" + input + output + "0000" + witness,
                    "01000000" + input + witness,
                    "02000100" + input + input + output + "0000" + witness + witness,
                    "01000100" + input + "c700000000000000" + "2000" + "22".repeat(32) + "0000" + witness,
                    "01000100" + "00".repeat(36) + output + "0000" + "0000" + "00")) {
                call("send_raw_transaction", "{'tx_hex':'" + hex + "'}");
            }
            call("send_raw_transaction", "{}");
        }

        private void streams() {
            for (String target : List.of(
                    "/sse",
                    "/sse?addresses=",
                    "/sse?addresses=zz",
                    "/sse?addresses=" + ADDRESS + ",," + ADDRESS,
                    "/sse?addresses=" + ADDRESS + ",",
                    "/sse?addresses=" + ADDRESS + "%2C" + ADDRESS,
                    "/sse?addresses=" + ADDRESS + "," + ADDRESS,
                    "/sse?x=1&tips=0&addresses=" + ADDRESS + "&tips=1",
                    "/sse/more?addresses=" + ADDRESS)) {
                raw("GET " + target, "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
            }
        }
    }

    /** Removes chain-specific data from an answer: errors keep their text except ids, results keep names and types. */
    private static final class Plain {
        private static final JsonMapper JSON = new JsonMapper();
        private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{64}");
        private static final Pattern LENGTH = Pattern.compile("Content-Length: \\d+");

        private Plain() {}

        /** Plain form of a whole HTTP answer. */
        static String http(String answer) {
            int end = answer.indexOf("\r\n\r\n");
            if (end < 0) {
                return answer.isEmpty() ? "(no answer)" : answer;
            }
            String head = answer.substring(0, end);
            String body = answer.substring(end + 4);
            if (head.contains("application/json") && body.startsWith("{")) {
                return LENGTH.matcher(head).replaceAll("Content-Length: n").replace("\r\n", " | ") + " | " + body(body);
            }
            return head.replace("\r\n", " | ") + " | "
                    + ID.matcher(body).replaceAll("<id>").replace("\n", "\\n");
        }

        private static String body(String text) {
            try {
                return answer(JSON.readTree(text));
            } catch (JsonProcessingException e) {
                return text;
            }
        }

        /** Plain form of the answer of a call. */
        static String answer(JsonNode answer) {
            if (answer.has("error")) {
                return "error " + ID.matcher(answer.get("error").toString()).replaceAll("<id>") + " id "
                        + answer.path("id");
            }
            return "result " + shape(answer.path("result")) + " id " + answer.path("id");
        }

        /** Members with the types of their values; of a list the different shapes of its elements. */
        private static String shape(JsonNode value) {
            return switch (value.getNodeType()) {
                case OBJECT -> {
                    TreeMap<String, String> members = new TreeMap<>();
                    value.properties().forEach(member -> members.put(member.getKey(), shape(member.getValue())));
                    yield members.toString();
                }
                case ARRAY -> {
                    List<String> shapes = new ArrayList<>();
                    value.forEach(element -> shapes.add(shape(element)));
                    yield shapes.stream().distinct().sorted().toList().toString();
                }
                default -> value.getNodeType().toString().toLowerCase(Locale.ROOT);
            };
        }
    }
}
