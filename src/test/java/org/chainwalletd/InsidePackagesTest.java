package org.chainwalletd;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.chainwalletd.testkit.ClassFiles;
import org.junit.jupiter.api.Test;

/** Checks that dependencies inside packages are acyclic too: between the parts of a package, and between the files of a part. */
class InsidePackagesTest {
    private static final JavaClasses MAIN = ClassFiles.ofTheProgram();

    /** Each part of a package with the parts of the same package that it may use. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("account", Set.of("account.endpoints")),
            Map.entry("account.endpoints", Set.of()),
            Map.entry("client", Set.of()),
            Map.entry("client.example", Set.of("client")),
            Map.entry("cluster", Set.of()),
            Map.entry("cluster.node", Set.of("cluster")),
            Map.entry("devnet", Set.of("devnet.call", "devnet.indexer", "devnet.ledger", "devnet.wire")),
            Map.entry("devnet.call", Set.of("devnet.ledger", "devnet.wire")),
            Map.entry("devnet.compare", Set.of("devnet")),
            Map.entry("devnet.indexer", Set.of("devnet.call", "devnet.ledger", "devnet.wire")),
            Map.entry("devnet.ledger", Set.of()),
            Map.entry("devnet.pool", Set.of("devnet", "devnet.ledger")),
            Map.entry("devnet.wire", Set.of()),
            Map.entry("http", Set.of("http.door", "http.h1", "http.h2", "http.pages", "http.tls")),
            Map.entry("http.door", Set.of()),
            Map.entry("http.h1", Set.of("http.door")),
            Map.entry("http.h2", Set.of("http.door", "http.h1")),
            Map.entry("http.pages", Set.of("http.door", "http.h1", "http.tls")),
            Map.entry("http.tls", Set.of("http.door", "http.h1", "http.h2")),
            Map.entry("keyring", Set.of("keyring.evm", "keyring.store")),
            Map.entry("keyring.evm", Set.of("keyring.store")),
            Map.entry("keyring.store", Set.of()),
            Map.entry("node", Set.of()),
            Map.entry("node.push", Set.of("node")),
            Map.entry("rpc", Set.of()),
            Map.entry("rpc.method", Set.of("rpc")),
            Map.entry("spend", Set.of("spend.plan")),
            Map.entry("spend.plan", Set.of()),
            Map.entry("store", Set.of()),
            Map.entry("store.books", Set.of("store", "store.files", "store.postgres", "store.sql")),
            Map.entry("store.books.htlc", Set.of("store.books", "store.sql")),
            Map.entry("store.files", Set.of()),
            Map.entry("store.postgres", Set.of("store", "store.files", "store.sql")),
            Map.entry("store.sql", Set.of("store", "store.files")),
            Map.entry("swap.engine", Set.of("swap.gates", "swap.legs", "swap.pool")),
            Map.entry("swap.gates", Set.of("swap.pool")),
            Map.entry("swap.legs", Set.of("swap.gates", "swap.pool")),
            Map.entry("swap.pool", Set.of()));

    /**
     * Cycles of files. None may be added, and a resolved one is removed from this list. The rest are actors that send each other messages, a
     * sealed type with the class that performs its kinds, and a value with its factory.
     */
    private static final Set<String> CIRCLES = Set.of(
            "coins: NodeOutputs VerifiedOutputs",
            "devnet.call: Faults Lie",
            "follow: Ascent Walker",
            "node: Call UpstreamNode View",
            "node: Upstream UpstreamCalls",
            "rpc: RpcCall RpcDispatcher",
            "spend: Abandonments Reservations SpendMonitor",
            "spend: Broadcast Lookup",
            "store.books: BooksSession Page",
            "store.books.htlc: HtlcChanges HtlcRows HtlcTable",
            "store.sql: SqlAccountSends SqlAllowance SqlPayouts SqlSpends SqlStore SqlSwaps SqlSweeps");

    @Test
    void the_parts_of_a_package_use_each_other_one_way() {
        Map<String, Set<String>> used = new TreeMap<>();
        Set<String> words = new TreeSet<>();
        for (JavaClass user : MAIN) {
            words.add(partOf(user));
            for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                String part = partOf(dependency.getTargetClass());
                if (!part.isEmpty()
                        && !part.equals(partOf(user))
                        && wordOf(part).equals(wordOf(partOf(user)))) {
                    used.computeIfAbsent(partOf(user), name -> new TreeSet<>()).add(part);
                }
            }
        }
        Map<String, Set<String>> unwanted = new TreeMap<>();
        used.forEach((part, others) -> {
            Set<String> more = new TreeSet<>(others);
            more.removeAll(MAY_USE.getOrDefault(part, Set.of()));
            if (!more.isEmpty()) {
                unwanted.put(part, more);
            }
        });
        assertThat(unwanted).isEmpty();
        assertThat(MAY_USE.keySet())
                .as("packages that have parts")
                .isEqualTo(words.stream()
                        .filter(part -> words.stream()
                                        .filter(other -> wordOf(other).equals(wordOf(part)))
                                        .count()
                                > 1)
                        .collect(Collectors.toSet()));
        assertThat(circles(MAY_USE)).isEmpty();
    }

    @Test
    void the_files_of_a_part_know_each_other_one_way() {
        Map<String, Map<String, Set<String>>> parts = new TreeMap<>();
        for (JavaClass user : MAIN) {
            Map<String, Set<String>> files = parts.computeIfAbsent(partOf(user), part -> new TreeMap<>());
            Set<String> known = files.computeIfAbsent(fileOf(user), file -> new TreeSet<>());
            user.getDirectDependenciesFromSelf().stream()
                    .map(Dependency::getTargetClass)
                    .filter(target -> target.getPackageName().equals(user.getPackageName()))
                    .map(InsidePackagesTest::fileOf)
                    .filter(file -> !file.equals(fileOf(user)))
                    .forEach(known::add);
        }
        Set<String> circles = new TreeSet<>();
        parts.forEach((part, files) -> circles(files).forEach(circle -> circles.add(part + ": " + circle)));

        assertThat(circles).isEqualTo(new TreeSet<>(CIRCLES));
    }

    /** Returns the cycles, in alphabetical order. */
    private static Set<String> circles(Map<String, Set<String>> arrows) {
        Map<String, Set<String>> reached = new HashMap<>();
        arrows.keySet().forEach(from -> reached.put(from, reachedFrom(from, arrows)));
        Set<String> circles = new TreeSet<>();
        for (String from : arrows.keySet()) {
            List<String> circle = new ArrayList<>(new TreeSet<>(reached.get(from).stream()
                    .filter(to -> reached.getOrDefault(to, Set.of()).contains(from))
                    .toList()));
            if (circle.size() > 1) {
                circles.add(String.join(" ", circle));
            }
        }
        return circles;
    }

    private static Set<String> reachedFrom(String from, Map<String, Set<String>> arrows) {
        Set<String> reached = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(Set.of(from));
        while (!open.isEmpty()) {
            arrows.getOrDefault(open.pop(), Set.of()).stream()
                    .filter(reached::add)
                    .forEach(open::push);
        }
        return reached;
    }

    private static String fileOf(JavaClass type) {
        JavaClass outer = type;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer.getSimpleName();
    }

    private static String partOf(JavaClass type) {
        String name = type.getPackageName();
        String root = "org.chainwalletd";
        return name.startsWith(root + ".") ? name.substring(root.length() + 1) : "";
    }

    private static String wordOf(String part) {
        return part.split("\\.")[0];
    }
}
