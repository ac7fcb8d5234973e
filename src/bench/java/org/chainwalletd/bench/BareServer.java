package org.chainwalletd.bench;

import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The floor of the start: a Pekko HTTP server that answers everything with one constant. Takes the words that the launcher passes on: {@code
 * --bind host:port} to serve, {@code demo} to answer one request and end, from which the archive of classes is made.
 */
public final class BareServer {
    private static final HttpResponse ANSWER = HttpResponse.create()
            .withEntity(HttpEntities.create(
                    ContentTypes.APPLICATION_JSON, "{\"jsonrpc\":\"2.0\",\"result\":{\"ok\":true},\"id\":1}"));

    private BareServer() {}

    public static void main(String[] words) throws Exception {
        boolean demo = words[0].equals("demo");
        String[] bind = demo ? new String[] {"127.0.0.1", "0"} : words[1].split(":");
        ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "bare");
        ServerBinding binding = Http.get(system)
                .newServerAt(bind[0], Integer.parseInt(bind[1]))
                .bindSync(request -> {
                    request.discardEntityBytes(system);
                    return ANSWER;
                })
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        if (demo) {
            ask(binding.localAddress().getPort());
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
            System.exit(0);
        }
    }

    private static void ask(int port) throws Exception {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + "/").toURL().openConnection();
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.getOutputStream().write("{}".getBytes(StandardCharsets.UTF_8));
        try (InputStream answer = connection.getInputStream()) {
            answer.readAllBytes();
        }
    }
}
