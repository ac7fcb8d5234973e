package org.chainwalletd.store.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Describes file system errors in readable text; several JDK exceptions have only a path as their message. */
public final class FileFailures {
    private FileFailures() {}

    /** Returns why the operation failed, without the path. */
    public static String reason(FileSystemException failure) {
        if (failure.getReason() != null) {
            return failure.getReason();
        }
        if (failure instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (failure instanceof NotDirectoryException) {
            return "not a folder";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "something else has this name";
        }
        return failure instanceof AccessDeniedException
                ? "permission denied"
                : failure.getClass().getSimpleName();
    }

    /** Returns why the operation failed, with the path. */
    public static String describe(IOException failure) {
        return failure instanceof FileSystemException known && known.getFile() != null
                ? reason(known) + " (" + known.getFile() + ")"
                : failure.getMessage();
    }
}
