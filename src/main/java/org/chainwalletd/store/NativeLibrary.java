package org.chainwalletd.store;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * SQLite's native library as the package ships it for the usual servers. From there the driver neither unpacks it to the temporary folder,
 * which may forbid programs, nor runs {@code uname}. Elsewhere, and where that library does not load, the driver helps itself.
 */
public final class NativeLibrary {
    private static final String FOLDER = "org.sqlite.lib.path";

    private NativeLibrary() {}

    /** To be called before the driver is. */
    public static void useShipped() {
        String home = System.getProperty("chainwalletd.home");
        String architecture = switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64" -> "aarch64";
            default -> "";
        };
        if (home == null || architecture.isEmpty() || System.getProperty(FOLDER) != null) {
            return;
        }
        Path folder = Path.of(home, "lib", "native", "org", "sqlite", "native", "Linux", architecture);
        if (System.getProperty("os.name", "").equals("Linux") && Files.isDirectory(folder)) {
            System.setProperty(FOLDER, folder.toString());
        }
    }
}
