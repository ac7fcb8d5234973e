package org.chainwalletd.swap.engine;

import java.util.Optional;
import java.util.regex.Pattern;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.legs.Legs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells operators why one swap waits: once for each reason, and again only when another one came between. */
public final class WaitLog {
    private static final Logger LOG = LoggerFactory.getLogger(WaitLog.class);
    /** Ages and depths change with every look, and are no other reason. */
    private static final Pattern FIGURES = Pattern.compile("[0-9]+");

    private static final int LONGEST = 300;

    private String last = "";

    /** What could not be judged this time says nothing new. */
    void looked(SwapRow row, Legs.View view) {
        if (view.gate().filter(GateVerdict::isOpen).isPresent()) {
            last = "";
        }
        reason(row, view).map(WaitLog::shortened).ifPresent(reason -> tell(row, reason));
    }

    private void tell(SwapRow row, String reason) {
        String kind = FIGURES.matcher(reason).replaceAll("#");
        if (!kind.equals(last)) {
            last = kind;
            LOG.info("swap {} is {} and waits: {}", row.id(), row.status().word(), reason);
        }
    }

    private static Optional<String> reason(SwapRow row, Legs.View view) {
        if (row.status() == SwapStatus.LOCKING && view.permission() instanceof LockPermission.Refused against) {
            return Optional.of("its lock is not wanted any more: " + against.why());
        }
        if (row.status() == SwapStatus.LOCKING && view.permission() instanceof LockPermission.Unjudged unjudged) {
            return view.permission() == LockPermission.NOT_ASKED
                    ? Optional.empty()
                    : Optional.of("whether its lock may leave cannot be judged: " + unjudged.why());
        }
        return view.gate()
                .filter(gate -> row.acts().locking() && !row.acts().claimJournalled())
                .filter(GateVerdict.Closed.class::isInstance)
                .map(gate -> "its secret may not leave: "
                        + ((GateVerdict.Closed) gate).reason().message());
    }

    private static String shortened(String reason) {
        return reason.length() <= LONGEST ? reason : reason.substring(0, LONGEST) + "...";
    }
}
