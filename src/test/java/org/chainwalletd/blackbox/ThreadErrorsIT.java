package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An {@link Error} in an essential thread of the unmodified package, thrown through the debugger's interface. The process must end, with a code
 * that makes a service manager restart it; a process that continues and serves nothing is worse.
 */
@Tag("long")
class ThreadErrorsIT {
    private static final Pattern PORT = Pattern.compile("transport dt_socket at address: (?:.*:)?(\\d+)");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"store-writer", "walletd-net-sockets", "walletd-pekko.actor.default-dispatcher-"})
    void an_error_in_a_thread_ends_the_process_with_its_exit_code(String name) throws Exception {
        try (DaemonProcess daemon = daemon()) {
            throwErrorInto(daemon, name);
            work(daemon);

            assertThat(daemon.exitCode()).as(daemon.transcript()).isEqualTo(1);
        }
    }

    private DaemonProcess daemon() {
        return LauncherCall.daemonWithDevnet(folder.resolve("datadir"))
                .with(
                        "WALLETD_JAVA_OPTS",
                        LauncherCall.SHORT_LIVED
                                + " -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0")
                .start();
    }

    /** Makes calls, because a thread in a system call receives the error only when it has work to do. */
    private static void work(DaemonProcess daemon) {
        Await.until("it has ended", () -> {
            try {
                daemon.call("get_balance", Map.of("address", "5d".repeat(32)));
                daemon.nodeCall("devnet_mine", Map.of("count", 1));
            } catch (WalletdException | IllegalStateException e) {
                // Some calls fail while the daemon ends.
                return !daemon.isAlive();
            }
            return !daemon.isAlive();
        });
    }

    /** Throws all errors in one session, because the port changes when a debugger detaches. */
    private static void throwErrorInto(DaemonProcess daemon, String... names) throws Exception {
        VirtualMachine machine = attach(port(daemon));
        try {
            // The JVM creates some instances at its start, for use when there is no memory to create more.
            ObjectReference error = machine.classesByName("java.lang.OutOfMemoryError")
                    .get(0)
                    .instances(1)
                    .get(0);
            List<ThreadReference> threads = machine.allThreads().stream()
                    .filter(thread -> Stream.of(names).anyMatch(thread.name()::startsWith))
                    .toList();
            assertThat(threads).as("threads called " + List.of(names)).isNotEmpty();
            for (ThreadReference thread : threads) {
                thread.stop(error);
            }
        } finally {
            try {
                machine.dispose();
            } catch (VMDisconnectedException e) {
                // The process has ended already.
            }
        }
    }

    private static VirtualMachine attach(String port) throws Exception {
        AttachingConnector sockets = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketAttach"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = sockets.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(port);
        return sockets.attach(arguments);
    }

    private static String port(DaemonProcess daemon) {
        Optional<String> found = daemon.output().stream()
                .map(PORT::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .findFirst();
        return found.orElseThrow(() -> new AssertionError("no debugger's port in\n" + daemon.transcript()));
    }
}
