package org.chainwalletd.spend;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.TransactionCodec;

/**
 * A node with canned answers, one request per connection like a real one. Each listing has fresh coins, so that payments do not wait for one
 * another; whatever is sent is taken.
 */
final class CannedNode implements AutoCloseable {
    private static final String GENESIS = "c2ce5a163dfaf361ce45aef2a63846213936c98227615c015f8888a4bc104afb";
    private static final ChainProfile PROFILE = ChainProfile.of("chain");

    private final ServerSocket server = new ServerSocket(0, 1_000, InetAddress.getByName("127.0.0.1"));
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "canned-node");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong listings = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private volatile int coins;

    CannedNode(int coins) throws IOException {
        this.coins = coins;
        threads.execute(this::accept);
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
    }

    /** Requests so far. */
    long requests() {
        return requests.get();
    }

    void coins(int number) {
        coins = number;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                requests.incrementAndGet();
                threads.execute(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream(), 8_192);
            int length = 0;
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                    length = Integer.parseInt(line.substring(15).trim());
                }
            }
            String request = new String(in.readNBytes(length), StandardCharsets.US_ASCII);
            byte[] body = answer(request).getBytes(StandardCharsets.US_ASCII);
            OutputStream out = socket.getOutputStream();
            String head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length
                    + "\r\nConnection: close\r\n\r\n";
            byte[] all = new byte[head.length() + body.length];
            System.arraycopy(head.getBytes(StandardCharsets.US_ASCII), 0, all, 0, head.length());
            System.arraycopy(body, 0, all, head.length(), body.length);
            out.write(all);
            out.flush();
        } catch (IOException e) {
            // The client hung up.
            return;
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("end of stream");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private String answer(String request) {
        String id = request.substring(request.lastIndexOf("\"id\":") + 5, request.length() - 1);
        return "{\"jsonrpc\":\"2.0\",\"result\":" + result(request) + ",\"id\":" + id + "}";
    }

    private String result(String request) {
        if (request.contains("\"get_address_utxos\"")) {
            return listing(member(request, "address"));
        }
        if (request.contains("\"send_raw_transaction\"")) {
            byte[] bytes = Bytes.parse(member(request, "tx_hex")).toArray();
            return "{\"tx_id\":\"" + TransactionCodec.txId(PROFILE, TransactionCodec.decode(bytes)) + "\"}";
        }
        if (request.contains("\"get_address_mempool\"")) {
            return "{\"address\":\"" + member(request, "address") + "\",\"mempool\":[],\"tip_height\":1000}";
        }
        return "{\"block_id\":\"" + GENESIS + "\",\"genesis_block_id\":\"" + GENESIS + "\",\"height\":1000}";
    }

    private static String member(String request, String name) {
        int from = request.indexOf("\"" + name + "\":\"") + name.length() + 4;
        return request.substring(from, request.indexOf('"', from));
    }

    static Amount valueOf(long index) {
        return Amount.of(1_000_000 + index);
    }

    private String listing(String address) {
        int number = coins;
        String prefix = String.format("%016x", listings.incrementAndGet());
        StringBuilder json = new StringBuilder(200 * number + 200);
        json.append("{\"address\":\"")
                .append(address)
                .append("\",\"next_cursor\":null,\"tip_height\":1000,\"truncated\":false,\"utxos\":[");
        for (int i = 0; i < number; i++) {
            json.append(i == 0 ? "" : ",")
                    .append("{\"height\":900,\"is_coinbase\":false,\"output_index\":")
                    .append(i)
                    .append(",\"tx_id\":\"")
                    .append(prefix)
                    .append("4f8a0c7e5d3b6a9147c2e8f0b1d35a7c9e0f2b4d6a8c1e3f\",\"value\":")
                    .append(valueOf(i))
                    .append('}');
        }
        return json.append("]}").toString();
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }
}
