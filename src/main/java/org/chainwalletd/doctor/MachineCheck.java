package org.chainwalletd.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.chainwalletd.config.HeapShares;
import org.chainwalletd.config.OpenFiles;
import org.chainwalletd.config.Settings;
import org.chainwalletd.store.files.DatadirLock;

/** Check of the JVM, its memory, and whether the addresses to listen on are free. */
public final class MachineCheck implements Doctor.Check {
    private static final int MIN_JAVA = 17;
    private static final long MEBIBYTE = 1024 * 1024;

    private final Settings settings;

    public MachineCheck(Settings settings) {
        this.settings = settings;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        java(findings);
        memory(findings);
        files(findings);
        listen("--bind", settings.http().listening().bind(), findings);
        settings.http().listening().metrics().ifPresent(bind -> listen("--metrics-bind", bind, findings));
        settings.devnet().ifPresent(devnet -> listen("--devnet-bind", devnet.bind(), findings));
        return findings;
    }

    private static void java(List<Finding> findings) {
        int feature = Runtime.version().feature();
        String text = System.getProperty("java.vm.name") + " " + Runtime.version() + ", "
                + Runtime.getRuntime().availableProcessors() + " cores";
        findings.add(
                feature < MIN_JAVA
                        ? Finding.fail("java", text + "; version 17 or newer is needed")
                        : Finding.ok("java", text));
    }

    private void memory(List<Finding> findings) {
        HeapShares shares = HeapShares.ofThisProcess();
        int threads = settings.keyring().unsealThreads();
        String text = shares.heap() / MEBIBYTE + " MiB of heap";
        findings.add(
                threads > shares.argon2()
                        ? Finding.warn(
                                "memory",
                                text + " have room for " + shares.argon2() + " unseal threads, and there are " + threads
                                        + ": raise WALLETD_HEAP or lower --unseal-threads")
                        : Finding.ok("memory", text));
        shares.complaint(settings.http().shares().heldBytes())
                .ifPresent(complaint -> findings.add(Finding.warn("memory", complaint)));
    }

    private void files(List<Finding> findings) {
        OptionalLong limit = OpenFiles.limit();
        findings.add(OpenFiles.complaint(limit, settings.http().maxConnections())
                .map(complaint -> Finding.warn("files", complaint))
                .orElseGet(() -> Finding.ok(
                        "files", (limit.isPresent() ? limit.getAsLong() : "no limit of") + " open files allowed")));
    }

    private void listen(String flag, InetSocketAddress bind, List<Finding> findings) {
        String subject = "listen";
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(bind);
            findings.add(Finding.ok(subject, flag + " " + shown(bind) + " is free"));
        } catch (IOException e) {
            String problem = flag + " " + shown(bind) + " cannot be used now: " + e.getMessage();
            findings.add(
                    isRunning()
                            ? Finding.warn(subject, problem + "; a daemon is running on the datadir")
                            : Finding.fail(subject, problem + "; stop what listens there, or choose another address"));
        }
    }

    private boolean isRunning() {
        try {
            return DatadirLock.isHeld(settings.datadir());
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static String shown(InetSocketAddress bind) {
        return bind.getAddress().getHostAddress() + " port " + bind.getPort();
    }
}
