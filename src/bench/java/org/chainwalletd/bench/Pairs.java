package org.chainwalletd.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Figures of ours and of its floor, taken in turns, so that whatever else the machine does hits both alike. The ratio is the median of the
 * pairs' ratios.
 */
final class Pairs {
    private final List<Double> ours = new ArrayList<>();
    private final List<Double> floor = new ArrayList<>();

    /** Takes one figure of each in. */
    void add(double oursFigure, double floorFigure) {
        ours.add(oursFigure);
        floor.add(floorFigure);
    }

    /** One pair of runs. */
    @FunctionalInterface
    interface Pair<T> {
        void ended(T ours, T floor);
    }

    /** Runs both {@code count} times, each first in every other pair. */
    static <T> void interleave(int count, Callable<T> ours, Callable<T> floor, Pair<T> pair) throws Exception {
        for (int i = 0; i < count; i++) {
            boolean floorFirst = i % 2 == 0;
            T early = floorFirst ? floor.call() : ours.call();
            T late = floorFirst ? ours.call() : floor.call();
            pair.ended(floorFirst ? late : early, floorFirst ? early : late);
        }
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
