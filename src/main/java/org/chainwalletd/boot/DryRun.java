package org.chainwalletd.boot;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.actor.typed.ActorSystem;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.Version;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.http.HttpServer;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.MethodFamilies;

/**
 * Dry run of the steps of opening a file and answering a call, done while the start waits for the passphrase's key, so that their classes are loaded
 * when needed. It works on dummies: nothing listens, no node is asked, nothing is counted.
 */
final class DryRun {
    private static final byte[] CALL =
            "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{},\"id\":1}".getBytes(StandardCharsets.US_ASCII);

    private DryRun() {}

    static void run(Settings settings, ActorSystem<?> system) {
        SealedBlob.prepare();
        HttpServer.prepare(system);
        MethodFamilies withoutServices = MethodFamilies.withoutServices(settings.chain(), Version.number());
        new RpcDispatcher(
                        withoutServices.registry(),
                        List.of(),
                        CallObserver.NONE,
                        new RpcDispatcher.Limits(1, 1, 0),
                        Runnable::run)
                .dispatch(CALL.clone(), Optional.of(Grant.of(Scope.READ)), Client.staying(""));
    }
}
