package dev.nodepath.cni.protocol;

import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Words for failures of files. */
public final class FileFailure {
    private FileFailure() {}

    /** The file and the kernel's error text. The JDK omits the text in its own exception classes. */
    public static String text(FileSystemException problem) {
        return problem.getFile() + ": " + reason(problem);
    }

    private static String reason(FileSystemException problem) {
        if (problem.getReason() != null) {
            return problem.getReason();
        }
        if (problem instanceof NoSuchFileException) {
            return "No such file or directory";
        }
        if (problem instanceof FileAlreadyExistsException) {
            return "File exists (expected: nothing, or a directory)";
        }
        if (problem instanceof NotDirectoryException) {
            return "Not a directory";
        }
        if (problem instanceof DirectoryNotEmptyException) {
            return "Directory not empty (expected: a file, or nothing)";
        }
        return problem instanceof AccessDeniedException ? "Permission denied" : "Input/output error";
    }
}
