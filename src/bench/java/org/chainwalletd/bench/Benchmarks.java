package org.chainwalletd.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs benchmarks by name: {@code start door rpc wait transfer payouts follow store keyring keyring-postgres envelope crypto chain}, or {@code all} of them. Each runs in a JVM of its own, one after
 * the other, and prints lines of {@code name ours floor ratio}, the median of interleaved pairs; envelope, crypto and chain print operations per second
 * of one core. What follows a single name is passed on.
 */
public final class Benchmarks {
    private static final String JMH = "org.openjdk.jmh.Main";

    /** The program of each name, with its arguments. */
    private static final Map<String, List<String>> PROGRAMS = programs();

    private Benchmarks() {}

    private static Map<String, List<String>> programs() {
        Map<String, List<String>> programs = new LinkedHashMap<>();
        programs.put("start", List.of("org.chainwalletd.bench.StartBench"));
        programs.put("door", List.of("org.chainwalletd.bench.DoorBench"));
        programs.put("rpc", List.of("org.chainwalletd.http.ServerBench"));
        programs.put("wait", List.of("org.chainwalletd.bench.WaitBench"));
        programs.put("transfer", List.of("org.chainwalletd.spend.TransferBench"));
        programs.put("payouts", List.of("org.chainwalletd.bench.PayoutBench"));
        programs.put("kill", List.of("org.chainwalletd.bench.KillBench"));
        programs.put("follow", List.of("org.chainwalletd.bench.FollowBench"));
        programs.put("store", List.of("org.chainwalletd.store.StoreBench"));
        programs.put("keyring", List.of("org.chainwalletd.keyring.KeyringBenchmark", "target/bench/keyring"));
        programs.put("keyring-postgres", List.of("org.chainwalletd.keyring.DatabaseKeyringBench"));
        programs.put("envelope", List.of(JMH, "org.chainwalletd.rpc.RpcBench"));
        programs.put("crypto", List.of(JMH, "org.chainwalletd.crypto.CryptoBench"));
        programs.put("chain", List.of(JMH, "org.chainwalletd.chain.ChainBench"));
        return programs;
    }

    /** Ends with 1 when a benchmark failed, with 2 when a name is unknown. */
    public static void main(String[] words) throws IOException, InterruptedException {
        List<String> names =
                words.length == 0 || words[0].equals("all") ? List.copyOf(PROGRAMS.keySet()) : List.of(words[0]);
        List<String> more = words.length > 1 ? List.of(words).subList(1, words.length) : List.of();
        if (!PROGRAMS.keySet().containsAll(names)) {
            System.err.println("no benchmark " + names + "; known: all, " + String.join(", ", PROGRAMS.keySet()));
            System.exit(2);
        }
        boolean failed = false;
        for (String name : names) {
            System.out.println("# " + name);
            failed |= run(PROGRAMS.get(name), more) != 0;
        }
        System.exit(failed ? 1 : 0);
    }

    private static int run(List<String> program, List<String> more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(program);
        command.addAll(more);
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
