package org.chainwalletd.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Figures of ours and of its floor, taken in turns, so that whatever else the machine does hits both alike. The ratio is the median of the
 * pairs' ratios.
 */
final class Pairs {
    private final List<Double> ours = new ArrayList<>();
    private final List<Double> floor = new ArrayList<>();

    /** One run that gives one figure. */
    @FunctionalInterface
    interface Run {
        double figure() throws Exception;
    }

    /** Runs both {@code count} times, each first in every other pair. */
    static Pairs measure(int count, Run ours, Run floor) throws Exception {
        Pairs pairs = new Pairs();
        for (int i = 0; i < count; i++) {
            if (i % 2 == 0) {
                pairs.floor.add(floor.figure());
                pairs.ours.add(ours.figure());
            } else {
                pairs.ours.add(ours.figure());
                pairs.floor.add(floor.figure());
            }
        }
        return pairs;
    }

    /** One line: {@code name ours floor ratio}, and how far the ratios of the pairs lie apart. */
    String line(String name) {
        double[] ratios = new double[ours.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours.get(i) / floor.get(i);
        }
        Arrays.sort(ratios);
        return String.format(
                Locale.ROOT,
                "%-44s %8.0f %8.0f %6.2f   (%d pairs, %.2f to %.2f)",
                name,
                median(ours),
                median(floor),
                ratios[ratios.length / 2],
                ratios.length,
                ratios[0],
                ratios[ratios.length - 1]);
    }

    private static double median(List<Double> figures) {
        List<Double> sorted = figures.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }
}
