package org.chainwalletd.devnet.compare;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The questions that need no coins: transport, envelope, parameters, push stream (chain protocol, sections 10, 12 and 17). Fewer than 30
 * of them count as scans and fewer than 60 as submissions, so that the quotas of a real node let one comparison a minute pass.
 */
final class Questions {
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
        raw("UTF-16", Peer.post(new String(HEIGHT.getBytes(StandardCharsets.UTF_16LE), StandardCharsets.ISO_8859_1)));
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
