package org.chainwalletd.doctor;

import java.util.List;

/** Looks at one side of an installation. Changes nothing, and throws nothing that it can tell as a finding. */
@FunctionalInterface
public interface Check {
    /** In the order of reading; at least one. */
    List<Finding> examine();
}
