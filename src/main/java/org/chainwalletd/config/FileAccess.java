package org.chainwalletd.config;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Access to a file that its owner and mode grant to other users of the machine. Follows symbolic links: the final target counts. The
 * objections complete "{@code <what> <path>} …".
 */
public final class FileAccess {
    private static final int ROOT = 0;
    private static final int MAX_SECRET_FILE_BYTES = 4_096;
    private static final Path PROC_SELF = Path.of("/proc/self");

    private final int owner;
    private final int ownUid;
    private final Set<PosixFilePermission> mode;

    FileAccess(int owner, int ownUid, Set<PosixFilePermission> mode) {
        this.owner = owner;
        this.ownUid = ownUid;
        this.mode = Set.copyOf(mode);
    }

    /**
     * Reads the access to an existing file or folder.
     *
     * @throws IOException when it does not exist, or its folder cannot be read
     */
    public static FileAccess of(Path path) throws IOException {
        int owner = (Integer) Files.getAttribute(path, "unix:uid");
        int ownUid = Files.exists(PROC_SELF) ? (Integer) Files.getAttribute(PROC_SELF, "unix:uid") : owner;
        return new FileAccess(owner, ownUid, Files.getPosixFilePermissions(path));
    }

    /**
     * Reason why a file with a secret must not be used. A file of our own user must be private. A file of root may be readable by its group:
     * systemd, Kubernetes and administrators pass secrets to service users this way.
     */
    public Optional<String> objectionToSecret() {
        if (allowsAnyOf(
                PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE)) {
            return Optional.of(
                    "is open to other users (mode " + modeText() + "): chmod 600 it, and change what is in it");
        }
        boolean handedOver = owner == ROOT;
        if (!handedOver && allowsAnyOf(PosixFilePermission.GROUP_READ)) {
            return Optional.of("can be read by its group (mode " + modeText() + "): chmod 600 it");
        }
        return objectionToOwner();
    }

    /**
     * Reads a secret from a file that contains nothing else, on one line.
     *
     * @throws IllegalArgumentException with a message that completes "… {@code file}", when it cannot be read or other users may read it
     */
    static String secretIn(Path file) {
        try {
            Optional<String> objection = of(file).objectionToSecret();
            if (objection.isPresent()) {
                throw new IllegalArgumentException(objection.get());
            }
            if (Files.size(file) > MAX_SECRET_FILE_BYTES) {
                throw new IllegalArgumentException("is longer than " + MAX_SECRET_FILE_BYTES + " bytes");
            }
            String secret = Files.readString(file).replaceFirst("\r?\n\\z", "");
            if (secret.isEmpty() || secret.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("must hold the password alone, on one line");
            }
            return secret;
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot be read: " + e, e);
        }
    }

    /** Reason why a file or folder must not be trusted: its mode lets other users change its content. */
    public Optional<String> objectionToContent() {
        return allowsAnyOf(PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE)
                ? Optional.of("can be changed by other users (mode " + modeText() + "): chmod go-w it")
                : Optional.empty();
    }

    /**
     * Finds the first of {@code folder} and the plain files in it that other users may change, and returns the reason as a sentence. Does not
     * follow links inside the folder.
     *
     * @throws IOException when it cannot be read
     */
    public static Optional<String> changeable(Path folder) throws IOException {
        Optional<String> itself = of(folder).objectionToContent();
        if (itself.isPresent()) {
            return itself.map(why -> folder + " " + why);
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    Optional<String> objection = of(file).objectionToContent();
                    if (objection.isPresent()) {
                        return objection.map(why -> file + " " + why);
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Reason why this process should not write here: its files would have another owner than the existing ones. */
    public Optional<String> objectionToWriter() {
        return owner == ownUid
                ? Optional.empty()
                : Optional.of("belongs to another user (uid " + owner + "): run the command as that user");
    }

    private Optional<String> objectionToOwner() {
        return owner == ownUid || owner == ROOT
                ? Optional.empty()
                : Optional.of("belongs to another user (uid " + owner + "): chown it to the daemon's");
    }

    private boolean allowsAnyOf(PosixFilePermission... permissions) {
        Set<PosixFilePermission> found = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : permissions) {
            found.add(permission);
        }
        found.retainAll(mode);
        return !found.isEmpty();
    }

    private String modeText() {
        return PosixFilePermissions.toString(mode);
    }
}
