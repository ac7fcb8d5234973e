package org.chainwalletd.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.AllMethods;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** The typed client is made from what {@code rpc.discover} says. */
class GeneratedClientTest {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Set<String> BY_HAND = Set.of("package-info.java", "Call.java", "Spend.java", "Answer.java");

    @Test
    void the_typed_client_has_each_method_as_the_registry_says() throws IOException {
        Map<String, String> wanted = new ClientSource(discovered()).files();
        if (Boolean.getBoolean("regenerate")) {
            write(wanted);
        }

        assertThat(made()).as("no class is left of a method that is gone").isEqualTo(new TreeSet<>(wanted.keySet()));
        for (Map.Entry<String, String> file : wanted.entrySet()) {
            assertThat(words(Files.readString(SOURCES.resolve(file.getKey()))))
                    .as(
                            file.getKey()
                                    + ": regenerate with mvn test -Dtest='*Generated*' -Dregenerate=true, then mvn spotless:apply")
                    .isEqualTo(words(file.getValue()));
        }
    }

    /** Only what has changed, so that files which the formatter has been over stay as they are. */
    private static void write(Map<String, String> wanted) throws IOException {
        for (String gone : made()) {
            if (!wanted.containsKey(gone)) {
                Files.delete(SOURCES.resolve(gone));
            }
        }
        for (Map.Entry<String, String> file : wanted.entrySet()) {
            Path path = SOURCES.resolve(file.getKey());
            if (!Files.exists(path) || !words(Files.readString(path)).equals(words(file.getValue()))) {
                Files.writeString(path, file.getValue(), StandardCharsets.UTF_8);
            }
        }
    }

    private static Set<String> made() throws IOException {
        Path folder = SOURCES.resolve("org/chainwalletd/client");
        try (Stream<Path> files = Stream.concat(
                Files.list(folder.resolve("method"))
                        .filter(file -> !BY_HAND.contains(file.getFileName().toString())),
                Stream.of(folder.resolve("WalletdMethods.java"), folder.resolve("AsyncWalletdMethods.java"))
                        .filter(Files::exists))) {
            return files.map(file -> SOURCES.relativize(file).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** The source without what the formatter decides. */
    private static String words(String source) {
        return source.replaceAll("\\s+", "");
    }

    private static JsonNode discovered() throws IOException {
        RpcDispatcher dispatcher = new RpcDispatcher(
                AllMethods.registry(), List.of(), CallObserver.NONE, new RpcDispatcher.Limits(1, 1, 1), Runnable::run);
        byte[] request =
                "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.discover\",\"id\":1}".getBytes(StandardCharsets.US_ASCII);
        byte[] answer = Await.result(dispatcher.dispatch(request, Optional.of(Scope.READ), Client.staying("test")))
                .body();
        return new ObjectMapper().readTree(answer).get("result");
    }
}
