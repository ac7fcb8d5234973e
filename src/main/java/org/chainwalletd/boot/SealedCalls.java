package org.chainwalletd.boot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.cluster.Node;
import org.chainwalletd.crypto.MessageSeal;
import org.chainwalletd.rpc.RpcAnswer;

/**
 * Encryption of forwarded calls and their answers under a key that only readers of the database have. A forwarded call carries the name of
 * its token, not the value, so access to a cluster node must not suffice to forge a call: on the loopback address every process of the
 * machine can connect. Each call can be opened once. Thread-safe.
 */
final class SealedCalls {
    /** Maximum number of remembered calls; further calls are not started. */
    private static final int MAX_REMEMBERED = 100_000;

    private final MessageSeal seal;
    private final long rememberedMillis;
    /** Calls opened in the current period. */
    private Set<ByteBuffer> opened = new HashSet<>();

    private Set<ByteBuffer> previouslyOpened = new HashSet<>();
    private long since;

    /**
     * @param key hex of {@link MessageSeal#KEY_BYTES} bytes
     * @param rememberedMillis minimum time for which an opened call is remembered
     */
    SealedCalls(String key, long rememberedMillis) {
        this.seal = new MessageSeal(HexFormat.of().parseHex(key));
        this.rememberedMillis = rememberedMillis;
    }

    /** Returns the call with its request sealed. */
    Node.Call seal(Node.Call call) {
        return with(call, seal.seal(call.request(), context(call)));
    }

    /**
     * Opens a call.
     *
     * @param now current time of the clock that timestamps calls, in milliseconds since 1970
     * @return empty when it was not sealed with this key, or has been opened before
     */
    Optional<Node.Call> open(Node.Call sealed, long now) {
        Optional<byte[]> request = seal.open(sealed.request(), context(sealed));
        return request.isPresent() && isFirst(nonce(sealed), now)
                ? Optional.of(with(sealed, request.get()))
                : Optional.empty();
    }

    private synchronized boolean isFirst(ByteBuffer nonce, long now) {
        if (now - since > rememberedMillis) {
            previouslyOpened = opened;
            opened = new HashSet<>();
            since = now;
        }
        return opened.size() < MAX_REMEMBERED && !previouslyOpened.contains(nonce) && opened.add(nonce);
    }

    /** Seals the answer to a call. */
    Node.Answer.Given seal(Node.Call sealed, RpcAnswer answer) {
        return new Node.Answer.Given(answer.status(), seal.seal(answer.body(), answerContext(sealed, answer.status())));
    }

    /** Opens the answer to a call; empty when it was not sealed for this call with this key. */
    Optional<RpcAnswer> open(Node.Call sealed, Node.Answer.Given answer) {
        return seal.open(answer.body(), answerContext(sealed, answer.status()))
                .map(body -> new RpcAnswer(answer.status(), body));
    }

    private static Node.Call with(Node.Call call, byte[] request) {
        return new Node.Call(call.token(), call.named(), call.client(), call.millis(), request);
    }

    /** Returns the unique name of a sealed call: the hex of its random nonce. */
    static String name(Node.Call sealed) {
        return HexFormat.of().formatHex(nonce(sealed).array());
    }

    /** Random nonce at the start of a sealed request, unique per call. */
    private static ByteBuffer nonce(Node.Call sealed) {
        return ByteBuffer.wrap(Arrays.copyOf(sealed.request(), MessageSeal.NONCE_BYTES));
    }

    private static byte[] context(Node.Call call) {
        byte[] token = call.token().getBytes(StandardCharsets.UTF_8);
        byte[] client = call.client().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 + Long.BYTES + 2 * Integer.BYTES + token.length + client.length)
                .put((byte) 0)
                .put((byte) (call.named() ? 1 : 0))
                .putLong(call.millis())
                .putInt(token.length)
                .put(token)
                .putInt(client.length)
                .put(client)
                .array();
    }

    private static byte[] answerContext(Node.Call sealed, int status) {
        return ByteBuffer.allocate(1 + Integer.BYTES + MessageSeal.NONCE_BYTES)
                .put((byte) 1)
                .putInt(status)
                .put(nonce(sealed))
                .array();
    }
}
