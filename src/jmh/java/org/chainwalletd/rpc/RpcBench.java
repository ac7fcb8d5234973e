package org.chainwalletd.rpc;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the envelope costs: from the bytes of a request to the bytes of its answer, on one core, without HTTP. */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(value = 1, jvmArgsAppend = "-XX:+UseSerialGC")
public class RpcBench {
    private static final int BATCH = 100;
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":7}";
    private static final String HEX = "ab".repeat(32);

    private final byte[] ping = PING.getBytes(StandardCharsets.UTF_8);
    private final byte[] batch =
            ("[" + String.join(",", Collections.nCopies(BATCH, PING)) + "]").getBytes(StandardCharsets.UTF_8);
    private final byte[] payment = ("{\"jsonrpc\":\"2.0\",\"method\":\"pay\",\"id\":\"a\",\"params\":{\"from\":\"" + HEX
                    + "\",\"outputs\":[{\"to\":\"" + HEX + "\",\"amount\":1000},{\"to\":\"" + HEX
                    + "\",\"amount\":2000}],\"fee_rate\":1,\"client_token\":\"0123456789\"}}")
            .getBytes(StandardCharsets.UTF_8);
    private static final Client CLIENT = Client.staying("127.0.0.1");

    private final RpcDispatcher dispatcher = new RpcDispatcher(
            MethodRegistry.of(List.of(
                    RpcMethod.of(
                            "ping",
                            Scope.READ,
                            "Answers.",
                            RpcMethod.NoParams.class,
                            Ok.class,
                            (none, context) -> CompletableFuture.completedFuture(new Ok(true))),
                    RpcMethod.of(
                            "pay",
                            Scope.SPEND,
                            "Gives its parameters back.",
                            Payment.class,
                            Payment.class,
                            (payment, context) -> CompletableFuture.completedFuture(payment)))),
            List.of(),
            CallObserver.NONE,
            new RpcDispatcher.Limits(1000, 16, 1),
            Runnable::run);

    /** A single call without parameters. */
    @Benchmark
    public RpcAnswer ping() {
        return answer(ping);
    }

    /** Items of a batch. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public RpcAnswer batchOf100() {
        return answer(batch);
    }

    /** A call with the parameters of a payment. */
    @Benchmark
    public RpcAnswer payment() {
        return answer(payment);
    }

    private RpcAnswer answer(byte[] body) {
        return dispatcher
                .dispatch(body, Optional.of(Grant.of(Scope.SPEND)), CLIENT)
                .toCompletableFuture()
                .join();
    }

    record Ok(boolean ok) {}

    record Output(Address to, Amount amount) {}

    record Payment(Address from, List<Output> outputs, OptionalLong feeRate, Optional<String> clientToken) {}
}
