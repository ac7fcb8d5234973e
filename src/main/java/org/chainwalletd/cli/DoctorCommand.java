package org.chainwalletd.cli;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.boot.PekkoSettings;
import org.chainwalletd.config.Settings;
import org.chainwalletd.doctor.ConfigurationCheck;
import org.chainwalletd.doctor.DatadirCheck;
import org.chainwalletd.doctor.Doctor;
import org.chainwalletd.doctor.Doctor.Check;
import org.chainwalletd.doctor.MachineCheck;
import org.chainwalletd.doctor.NodeCheck;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.observe.Printable;
import org.slf4j.LoggerFactory;

/** Command that checks everything that a daemon needs, without starting one. */
final class DoctorCommand implements Command {
    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    @Override
    public String word() {
        return "doctor";
    }

    @Override
    public String summary() {
        return "Checks configuration, datadir, nodes, clock and machine, and prints what it found; changes nothing.";
    }

    @Override
    public int run(Invocation invocation) {
        ConfigurationCheck configuration = ConfigurationCheck.of(
                invocation.flags().keySet(),
                invocation.flagsWithPassphrase(),
                invocation.environment(),
                invocation.home());
        List<Check> checks = new ArrayList<>(List.of(configuration));
        if (configuration.configuration().isEmpty()) {
            return new Doctor(checks, line -> invocation.out().println(Printable.text(line))).examine();
        }
        Settings settings = configuration.configuration().get().settings();
        // Initialises SLF4J first: if the threads of the actor system request loggers concurrently, it prints warnings.
        LoggerFactory.getILoggerFactory();
        ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "doctor", PekkoSettings.forSystem());
        try {
            checks.add(new DatadirCheck(settings));
            checks.add(new MachineCheck(settings));
            checks.add(new NodeCheck(
                    settings,
                    url -> Nodes.clientOf(
                            system,
                            settings.node().withUrls(List.of(url)),
                            system.executionContext(),
                            new SimpleMeterRegistry()),
                    TIMEOUT,
                    InstantSource.system()));
            return new Doctor(checks, line -> invocation.out().println(Printable.text(line))).examine();
        } finally {
            system.terminate();
        }
    }
}
