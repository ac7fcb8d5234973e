package org.chainwalletd.doctor;

import java.util.List;
import java.util.function.Consumer;

/** Examination of an installation: runs checks one after the other and prints their findings. */
public final class Doctor {
    /** Check of one aspect of an installation. Changes nothing, and reports failures as findings rather than exceptions. */
    @FunctionalInterface
    public interface Check {
        /** Returns the findings in reading order; at least one. */
        List<Finding> examine();
    }

    private final List<Check> checks;
    private final Consumer<String> out;

    /** @param out receives one line at a time */
    public Doctor(List<Check> checks, Consumer<String> out) {
        this.checks = List.copyOf(checks);
        this.out = out;
    }

    /** Runs the checks; returns the exit code: 0 if nothing failed, else 1. */
    public int examine() {
        int failed = 0;
        int warned = 0;
        for (Check check : checks) {
            for (Finding finding : findings(check)) {
                out.accept(finding.line());
                failed += finding.level() == Finding.Level.FAIL ? 1 : 0;
                warned += finding.level() == Finding.Level.WARN ? 1 : 0;
            }
        }
        out.accept(failed == 0 && warned == 0 ? "all is well" : failed + " failed, " + warned + " warned");
        return failed == 0 ? 0 : 1;
    }

    private static List<Finding> findings(Check check) {
        try {
            return check.examine();
        } catch (RuntimeException e) {
            return List.of(Finding.fail(check.getClass().getSimpleName(), "could not be completed: " + e));
        }
    }
}
