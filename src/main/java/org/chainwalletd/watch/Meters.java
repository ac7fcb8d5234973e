package org.chainwalletd.watch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Metrics of the daemon, parsed from Prometheus' text format. */
final class Meters {
    private static final Pattern LINE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? (\\S+)(?: \\S+)?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private final List<Meter> meters = new ArrayList<>();

    private record Meter(String name, Map<String, String> labels, double value) {}

    private Meters() {}

    /** Parses a page of metrics; unreadable lines are skipped. */
    static Meters of(String page) {
        Meters meters = new Meters();
        page.lines().filter(line -> !line.startsWith("#")).forEach(meters::add);
        return meters;
    }

    private void add(String line) {
        Matcher read = LINE.matcher(line);
        if (!read.matches()) {
            return;
        }
        try {
            double value = Double.parseDouble(read.group(3));
            Map<String, String> labels = new HashMap<>();
            for (Matcher label = LABEL.matcher(read.group(2) == null ? "" : read.group(2)); label.find(); ) {
                labels.put(label.group(1), label.group(2).replaceAll("\\\\(.)", "$1"));
            }
            meters.add(new Meter(read.group(1), labels, value));
        } catch (NumberFormatException e) {
            // Neither a number nor a word such as NaN: the line is skipped.
        }
    }

    /** Returns the sum of the metrics with that name and these labels; empty if there is none. */
    OptionalDouble sum(String name, Map<String, String> labels) {
        List<Meter> found = meters.stream()
                .filter(meter ->
                        meter.name().equals(name) && meter.labels().entrySet().containsAll(labels.entrySet()))
                .toList();
        return found.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(found.stream().mapToDouble(Meter::value).sum());
    }

    /** Returns the sums of the metrics with that name, grouped by one of their labels. */
    Map<String, Double> by(String label, String name) {
        Map<String, Double> sums = new TreeMap<>();
        meters.stream()
                .filter(meter -> meter.name().equals(name) && meter.labels().containsKey(label))
                .forEach(meter -> sums.merge(meter.labels().get(label), meter.value(), Double::sum));
        return sums;
    }
}
