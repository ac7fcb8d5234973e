package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.NodesSeen;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/** {@code get_status}: how the daemon does. Succeeds whatever the nodes do, within a few seconds. */
final class GetStatusMethod extends ReadMethod<NoParams, GetStatusMethod.Result> {
    private static final int PATIENCE_SECONDS = 5;

    /**
     * @param network null while no node of our chain has said it
     * @param genesisBlockId the id that is signed with, null before first contact
     * @param complaint null when nothing is wrong
     */
    public record Result(
            String version,
            Tip tip,
            @Doc("A node answered and signing is possible") boolean upstreamOk,
            List<String> upstreamNodes,
            @U32 long walletCount,
            @U32 long inFlightUtxos,
            @U32 long inFlightTransfers,

            @Doc("mainnet, testnet, devnet or null") @OrNull String network,

            @Doc("Genesis id that transactions are signed for") @OrNull
            Hash256 genesisBlockId,

            @Doc("What is wrong with the chain of the nodes; absent when nothing is") @MaybeAbsent
            String complaint) {}

    /**
     * @param blockId null when no node answered
     * @param height null when no node answered
     */
    public record Tip(@OrNull Hash256 blockId, @OrNull Long height) {}

    private final String version;
    private final Nodes nodes;
    private final Supplier<List<KeyEntry>> keys;
    private final InFlight inFlight;
    private final Executor executor;

    GetStatusMethod(String version, Nodes nodes, Supplier<List<KeyEntry>> keys, InFlight inFlight, Executor executor) {
        super(
                "get_status",
                "Version, tip, nodes, number of keys and spends in flight; succeeds also when no node does.",
                NoParams.class,
                Result.class);
        this.version = version;
        this.nodes = nodes;
        this.keys = keys;
        this.inFlight = inFlight;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of();
    }

    @Override
    public CompletionStage<Result> call(NoParams params, CallContext context) {
        return nodes.client()
                .hasty()
                .tip()
                .thenApplyAsync(Optional::of, executor)
                .toCompletableFuture()
                .completeOnTimeout(Optional.empty(), PATIENCE_SECONDS, TimeUnit.SECONDS)
                .handleAsync((tip, failure) -> result(failure == null ? tip : Optional.empty()), executor);
    }

    private Result result(Optional<NodeClient.Tip> tip) {
        NodesSeen seen = nodes.seen().get();
        boolean refused = seen.complaint().isPresent() && !seen.maySign();
        return new Result(
                version,
                new Tip(
                        tip.map(NodeClient.Tip::blockId).orElse(null),
                        tip.map(NodeClient.Tip::height).orElse(null)),
                tip.isPresent() && !refused,
                seen.nodes().stream().map(NodesSeen.Seen::url).toList(),
                keys.get().size(),
                inFlight.utxos(),
                inFlight.transfers(),
                seen.network().orElse(null),
                seen.expected().orElse(null),
                seen.complaint().orElse(null));
    }
}
