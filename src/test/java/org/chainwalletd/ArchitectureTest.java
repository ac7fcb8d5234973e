package org.chainwalletd;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.net.URL;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.http.javadsl.Http;
import org.chainwalletd.stage.Blocking;
import org.chainwalletd.testkit.ClassFiles;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ArchitectureTest {
    private static final String ROOT = "org.chainwalletd.";
    private static final JavaClasses MAIN = ClassFiles.ofTheProgram();

    /** Packages that wire the others together and may use all of them. */
    private static final Set<String> ABOVE_ALL = Set.of("", "boot", "cli");

    /** Package below all others; every package may use it except the client, which has a jar of its own. */
    private static final String FOR_ALL = "stage";

    /** Each package with the packages that it may use. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry(FOR_ALL, Set.of()),
            Map.entry("chain", Set.of()),
            Map.entry("crypto", Set.of()),
            Map.entry("wire", Set.of("chain", "crypto")),
            Map.entry("api", Set.of("wire", "chain", "crypto")),
            Map.entry("config", Set.of("chain", "evm")),
            Map.entry("observe", Set.of("access", "api", "wire", "chain", "config", "rpc")),
            Map.entry("store", Set.of("chain", "crypto", "config")),
            Map.entry("keeper", Set.of("store")),
            Map.entry("cluster", Set.of("config", "store")),
            Map.entry("access", Set.of("api", "wire", "chain", "config", "store")),
            Map.entry("net", Set.of("chain", "crypto", "config")),
            Map.entry("node", Set.of("wire", "chain", "crypto", "config", "store", "net")),
            Map.entry("keyring", Set.of("api", "wire", "chain", "crypto", "config", "store", "evm")),
            Map.entry("devnet", Set.of("chain", "crypto", "config", "store", "evm")),
            Map.entry("quote", Set.of("api", "wire", "chain", "crypto", "node", "keyring")),
            Map.entry("uri", Set.of("api", "wire", "chain")),
            Map.entry("indexer", Set.of("api", "wire", "chain", "config", "node")),
            Map.entry("follow", Set.of("chain", "crypto", "config", "store", "node", "keeper")),
            Map.entry("coins", Set.of("api", "wire", "chain", "config", "store", "node", "keyring", "follow")),
            Map.entry("wait", Set.of("api", "wire", "chain", "config", "store", "node", "follow")),
            Map.entry(
                    "spend",
                    Set.of(
                            "access", "api", "wire", "chain", "crypto", "config", "store", "node", "keyring", "coins",
                            "follow", "keeper")),
            Map.entry(
                    "payout",
                    Set.of(
                            "access", "api", "wire", "chain", "crypto", "config", "store", "node", "keyring", "coins",
                            "spend", "follow", "keeper")),
            Map.entry("sweep", Set.of("chain", "store", "node", "keyring", "spend", "keeper")),
            Map.entry("message", Set.of("api", "wire", "chain", "crypto", "keyring")),
            Map.entry(
                    "htlc",
                    Set.of(
                            "access", "api", "wire", "chain", "crypto", "config", "store", "node", "keyring", "coins",
                            "spend", "follow", "indexer")),
            Map.entry(
                    "rpc",
                    Set.of(
                            "access", "api", "wire", "chain", "crypto", "config", "store", "node", "keyring", "coins",
                            "spend", "htlc", "message", "uri", "quote", "follow", "indexer", "wait", "evm", "swap",
                            "account", "payout", "sweep")),
            Map.entry("event", Set.of("api", "wire", "chain", "store", "follow", "wait", "htlc", "rpc", "swap")),
            Map.entry(
                    "http",
                    Set.of(
                            "access", "api", "wire", "chain", "crypto", "config", "store", "net", "rpc", "observe",
                            "event")),
            Map.entry("client", Set.of("api", "wire", "chain", "crypto")),
            Map.entry("watch", Set.of("client", "api", "wire", "chain")),
            Map.entry("evm", Set.of("chain", "crypto")),
            Map.entry(
                    "account",
                    Set.of("api", "wire", "chain", "crypto", "config", "store", "net", "keyring", "evm", "keeper")),
            Map.entry(
                    "swap",
                    Set.of(
                            "api", "wire", "chain", "crypto", "config", "store", "net", "node", "keyring", "evm",
                            "account", "follow", "coins", "spend", "htlc", "keeper")),
            Map.entry("doctor", Set.of("chain", "config", "store", "node", "boot")));

    private static final Set<String> BARE_CONTINUATIONS = Set.of(
            "thenApply",
            "thenAccept",
            "thenRun",
            "thenCompose",
            "thenCombine",
            "thenAcceptBoth",
            "runAfterBoth",
            "applyToEither",
            "acceptEither",
            "runAfterEither",
            "handle",
            "whenComplete",
            "exceptionally",
            "exceptionallyCompose");

    @TestFactory
    List<DynamicTest> dependencies_point_downwards() {
        return MAY_USE.entrySet().stream()
                .map(layer -> DynamicTest.dynamicTest(
                        layer.getKey(),
                        () -> usesOnly(layer.getKey(), layer.getValue()).check(MAIN)))
                .toList();
    }

    @Test
    void every_package_has_its_layer() {
        Set<String> known = new TreeSet<>(MAY_USE.keySet());
        known.addAll(ABOVE_ALL);
        assertThat(MAIN.stream().map(ArchitectureTest::wordOf).distinct()).allMatch(known::contains);
    }

    /** Only this package opens the libraries' jars, so that daemons without a cluster load none of their classes. */
    @Test
    void only_a_node_uses_the_libraries_of_the_cluster() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "cluster.node..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.apache.pekko.cluster..",
                        "org.apache.pekko.remote..",
                        "org.apache.pekko.serialization.jackson..",
                        ROOT + "cluster.node..")
                .check(MAIN);
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "cluster..")
                .and()
                .doNotHaveSimpleName("DatabaseCluster")
                .and()
                .doNotHaveSimpleName("SealedCalls")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + "cluster..")
                .check(MAIN);
    }

    private static ArchRule usesOnly(String word, Set<String> mayUse) {
        DescribedPredicate<JavaClass> forbidden = DescribedPredicate.describe(
                "packages of the daemon other than " + mayUse,
                used -> used.getPackageName().startsWith("org.chainwalletd")
                        && !wordOf(used).equals(word)
                        && (!wordOf(used).equals(FOR_ALL) || word.equals("client"))
                        && !mayUse.contains(wordOf(used)));
        return noClasses()
                .that()
                .resideInAPackage(ROOT + word + "..")
                .should()
                .dependOnClassesThat(forbidden)
                .allowEmptyShould(true);
    }

    private static String wordOf(JavaClass used) {
        String packageName = used.getPackageName();
        return packageName.length() < ROOT.length()
                ? ""
                : packageName.substring(ROOT.length()).split("\\.")[0];
    }

    @Test
    void a_stage_is_never_continued_without_an_executor() {
        classes()
                .should(new ArchCondition<JavaClass>("give every continuation an executor") {
                    @Override
                    public void check(JavaClass user, ConditionEvents events) {
                        user.getMethodCallsFromSelf().stream()
                                .filter(ArchitectureTest::continuesOnWhateverThread)
                                .forEach(
                                        call -> events.add(SimpleConditionEvent.violated(call, call.getDescription())));
                    }
                })
                .check(MAIN);
    }

    private static boolean continuesOnWhateverThread(JavaMethodCall call) {
        boolean runsSomewhere = call.getName().endsWith("Async");
        if (!runsSomewhere && !BARE_CONTINUATIONS.contains(call.getName())) {
            return false;
        }
        boolean hasExecutor =
                call.getTarget().getRawParameterTypes().stream().anyMatch(type -> ClassFiles.isA(type, Executor.class));
        return ClassFiles.isA(call.getTargetOwner(), CompletionStage.class) && !(runsSomewhere && hasExecutor);
    }

    @Test
    void an_actor_waits_for_no_stage() {
        noClasses()
                .that()
                .areAssignableTo(AbstractBehavior.class)
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Blocking.class)
                .because("its thread is that of every other actor")
                .check(MAIN);
    }

    @Test
    void files_are_written_only_in_store_and_keyring() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "store..", ROOT + "keyring..")
                .should()
                .callMethodWhere(target(owner(assignableTo(Files.class)))
                        .and(target(name("write")
                                .or(name("writeString"))
                                .or(name("newOutputStream"))
                                .or(name("newBufferedWriter"))
                                .or(name("newByteChannel"))
                                .or(name("copy"))
                                .or(name("move"))
                                .or(name("delete"))
                                .or(name("deleteIfExists"))
                                .or(name("createFile"))
                                .or(name("createDirectory"))
                                .or(name("createDirectories"))
                                .or(name("setPosixFilePermissions")))))
                .orShould()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "file output streams",
                        used -> Set.of(
                                        "java.io.FileOutputStream",
                                        "java.io.FileWriter",
                                        "java.io.RandomAccessFile",
                                        "java.nio.channels.FileChannel")
                                .contains(used.getName())))
                .check(MAIN);
    }

    @Test
    void only_net_opens_connections_to_others() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "net..", ROOT + "client..", ROOT + "devnet..")
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "ways to open a connection",
                        used -> used.getPackageName().startsWith("java.net.http")
                                || Set.of(
                                                "java.net.Socket",
                                                "java.net.URLConnection",
                                                "java.net.HttpURLConnection",
                                                "javax.net.SocketFactory",
                                                "javax.net.ssl.HttpsURLConnection",
                                                "javax.net.ssl.SSLSocketFactory",
                                                "org.apache.pekko.stream.javadsl.Tcp")
                                        .contains(used.getName())))
                .orShould()
                .callMethodWhere(target(owner(assignableTo(SocketChannel.class)))
                        .and(target(name("open").or(name("connect")))))
                .orShould()
                .callMethodWhere(target(owner(assignableTo(URL.class)))
                        .and(target(name("openConnection").or(name("openStream")))))
                .because("there is one HTTP client, which is bounded; the client library and the development node have "
                        + "no business with other people's servers")
                .check(MAIN);
    }

    @Test
    void pekko_http_calls_nobody() {
        noClasses()
                .should()
                .callMethodWhere(target(owner(assignableTo(Http.class)))
                        .and(target(name("singleRequest")
                                .or(name("singleWebSocketRequest"))
                                .or(name("connectionTo"))
                                .or(name("superPool")))))
                .orShould()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "its client",
                        used -> used.getPackageName().startsWith("org.apache.pekko.http")
                                && Set.of(
                                                "OutgoingConnection",
                                                "OutgoingConnectionBuilder",
                                                "HostConnectionPool",
                                                "ClientConnectionSettings",
                                                "ConnectionPoolSettings")
                                        .contains(used.getSimpleName())))
                .because("its parser recurses over interim responses, and a StackOverflowError ends the process")
                .check(MAIN);
    }

    @Test
    void sql_stays_inside_store() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "store..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.sqlite..")
                .check(MAIN);
    }

    @Test
    void wrappers_of_failures_are_known_in_one_place() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(ROOT + FOR_ALL + ".Causes")
                .and()
                .doNotHaveFullyQualifiedName(ROOT + "client.Wire$Reason")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(CompletionException.class)
                .because(
                        "a second unwrapping forgets a kind or a level; the client has a jar of its own, and thus one of its own")
                .check(MAIN);
    }
}
