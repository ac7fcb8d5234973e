package org.chainwalletd.doctor;

import java.util.ArrayList;
import java.util.List;

/** Findings of one check, in the order of reading. */
final class Findings {
    private final List<Finding> all = new ArrayList<>();

    void ok(String subject, String text) {
        add(Finding.ok(subject, text));
    }

    void warn(String subject, String text) {
        add(Finding.warn(subject, text));
    }

    void fail(String subject, String text) {
        add(Finding.fail(subject, text));
    }

    void add(Finding finding) {
        all.add(finding);
    }

    List<Finding> all() {
        return all;
    }
}
