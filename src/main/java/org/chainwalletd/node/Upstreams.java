package org.chainwalletd.node;

import java.util.List;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.config.Settings;

/**
 * The way to the nodes, or to others that are asked like them, put together.
 *
 * @param calls where calls begin
 * @param actor what the difficult calls are handed to, and who is told which nodes to avoid
 */
record Upstreams(UpstreamCalls calls, ActorRef<Upstream.Command> actor) {
    /**
     * @param clock milliseconds that never go back
     * @param stopped run when the actor has stopped for good
     */
    static Upstreams start(
            Nodes.Spawner spawner,
            Settings.Node settings,
            UpstreamKind kind,
            Nodes.Way way,
            LongSupplier clock,
            Runnable stopped) {
        List<UpstreamNode> nodes = settings.urls().stream()
                .map(url ->
                        new UpstreamNode(url.toString(), way.peers().to(url, kind.bearer()), settings.maxConnections()))
                .toList();
        UpstreamMetrics metrics = new UpstreamMetrics(way.metrics(), kind, way.answers(), nodes, clock);
        Exchanger exchanger = new Exchanger(settings, kind.noun(), way.answers(), way.executor(), clock, metrics);
        UpstreamCalls calls = new UpstreamCalls(kind.noun(), new Rotation(nodes), exchanger, clock, metrics);
        ActorRef<Upstream.Command> actor = spawner.spawn(
                Upstream.create(settings, calls, exchanger, clock, metrics, stopped),
                kind.prefix().replace('.', '-'));
        calls.handOverTo(actor);
        return new Upstreams(calls, actor);
    }
}
