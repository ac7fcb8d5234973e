package org.chainwalletd.config;

import java.util.List;

/** Signals that the configuration cannot be used. One line per problem, each with its remedy. */
public final class ConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final List<String> problems;

    public ConfigurationException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems), null, false, false);
        this.problems = List.copyOf(problems);
    }

    /** Returns the problems, at least one; none contains a secret. */
    public List<String> problems() {
        return problems;
    }
}
