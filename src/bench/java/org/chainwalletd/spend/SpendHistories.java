package org.chainwalletd.spend;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Runs many random histories of spending: {@code SpendHistories <count> [first seed] [folder]}. Prints what breaks a promise. */
public final class SpendHistories {
    private static final int REPORT_EVERY = 250;

    private SpendHistories() {}

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime() >>> 8;
        Path folder = args.length > 2 ? Path.of(args[2]) : Files.createTempDirectory("histories");
        System.out.println(count + " histories, first seed " + seed);
        int broken = 0;
        for (int done = 0; done < count; done += REPORT_EVERY) {
            int some = Math.min(REPORT_EVERY, count - done);
            Path part = Files.createTempDirectory(Files.createDirectories(folder), "part");
            List<String> complaints = SpendHistory.runMany(part, seed + done, some, 1);
            complaints.forEach(System.out::println);
            broken += complaints.size();
            System.out.println((done + some) + " histories, " + broken + " broke a promise");
            remove(part);
        }
        System.exit(broken == 0 ? 0 : 1);
    }

    private static void remove(Path folder) throws Exception {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
