package org.chainwalletd.follow;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Network;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults that a development chain may have: root, target and work, which nobody else checks there. Each is logged once. Safe for threads.
 */
final class Leniency {
    private static final Logger LOG = LoggerFactory.getLogger(Leniency.class);
    private static final Set<Fault.Rule> FORGIVEN =
            Set.of(Fault.Rule.ROOT, Fault.Rule.TARGET, Fault.Rule.WORK, Fault.Rule.FUTURE);

    private final Network network;
    private final Set<Fault.Rule> logged = ConcurrentHashMap.newKeySet();

    Leniency(Network network) {
        this.network = network;
    }

    boolean forgives(Fault fault) {
        boolean forgiven = network == Network.DEVNET && FORGIVEN.contains(fault.rule());
        if (forgiven && logged.add(fault.rule())) {
            LOG.warn("{}; that passes on a development chain, and is not said again", fault);
        }
        return forgiven;
    }
}
